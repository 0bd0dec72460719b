package train_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestTrainWindows trains models whose tokens see 32 others, or a sum of all: the first is
// the model without as long as its context is no longer, both learn, and both write.
func TestTrainWindows(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	losses := func(context int, with ...string) (all []float64) {
		s := settings()
		s.Model.ContextLength, s.Model.With = context, with
		binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
		require.NoError(t, err)
		dir := newRun(t, s)
		require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
		for _, step := range logOf(t, dir) {
			all = append(all, step.Loss)
		}
		options, err := json.Marshal(run.Generation{Prompt: []int{1, 2}, Tokens: 2 * context, Temperature: 1, TopP: 1, Stop: -1})
		require.NoError(t, err)
		written := 0
		require.NoError(t, train.Run(t.Context(), binary, []string{"generate", dir, string(options)}, io.Discard, func(e run.Event) { written += len(e.Tokens) }))
		require.Equal(t, 2*context, written)
		return all
	}
	require.InDeltaSlice(t, losses(16), losses(16, "window"), 1e-3)
	for _, with := range []string{"window", "linear"} {
		all := losses(40, with)
		require.Less(t, all[len(all)-1], 0.9*all[1], with)
	}
	_, err = train.StandIns(run.Model{With: []string{"window", "linear"}})
	require.ErrorContains(t, err, "window and linear both stand in for Attention of step08")
}

// TestRing lets models that see through a window write from the ring of step 21, far beyond
// their context, where the last layer sees as much as the context holds and where it does not,
// and compares with what they write without a cache. A ring that is wrong is not used.
func TestRing(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	seats, err := train.Seats(run.Model{With: []string{"window"}})
	require.NoError(t, err)
	cache, err := os.ReadFile(filepath.Join(kit.Root, "solutions", "step21_windows", "cache.go"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		with             []workspace.StandIn
		context, written string
		edit             *strings.Replacer
		ring             bool
	}{
		"a context that holds all that is seen": {seats, "70", "1300", nil, true},
		"one that does not":                     {seats, "40", "130", nil, true},
		"one that is shorter than the window":   {seats, "19", "60", nil, true},
		"grouped queries, which have their own": {append(slices.Clone(seats), grouped("Grouped(3)")), "70", "100", nil, false},
		"no window":                             {nil, "70", "100", nil, false},
		"a key more than the model's":           {seats, "70", "100", strings.NewReplacer("sinks+window", "sinks+window+1", "mod W", "", "%window", "%(window+1)", "c.sinks+c.window", "c.sinks+c.window+1"), false},
		"not written":                           {seats, "70", "100", strings.NewReplacer("c := &Cache{", "panic(\"to be done\")\n\tc := &Cache{"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overlay := map[string][]byte{}
			if c.edit != nil {
				overlay["step21_windows/cache.go"] = []byte(c.edit.Replace(string(cache)))
				require.NotEqual(t, cache, overlay["step21_windows/cache.go"])
			}
			binary, err := train.BuildAround(t.Context(), kit, workspace.Solutions(),
				workspace.Build{Step: "step10_lm", Package: "grader/studio/train/testdata/writes", With: c.with, Overlay: overlay}, t.TempDir())
			require.NoError(t, err)
			data, err := exec.CommandContext(t.Context(), binary, c.context, c.written).Output()
			require.NoError(t, err)
			var out struct {
				Cached, Ring bool
				Got, Want    []int
			}
			require.NoError(t, json.Unmarshal(data, &out))
			require.True(t, out.Cached)
			require.Equal(t, c.ring, out.Ring)
			require.Equal(t, c.written, strconv.Itoa(len(out.Got)))
			require.Equal(t, out.Want, out.Got)
		})
	}
}
