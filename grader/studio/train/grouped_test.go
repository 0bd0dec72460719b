package train_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// grouped puts grouped queries into a model, with the given heads of keys and values.
func grouped(by string) workspace.StandIn {
	return workspace.StandIn{Folder: "step13_gqa", For: "step08_attention", Names: []string{"MultiHead", "NewMultiHead"},
		By: map[string]string{"NewMultiHead": by}}
}

// TestGroupedWriter lets models write from the cache that their layers keep, beyond
// their context, and compares with what they write without.
func TestGroupedWriter(t *testing.T) {
	sweep.Only(t)
	for name, with := range map[string][]workspace.StandIn{
		"one for all": {grouped("Grouped(1)")}, "three groups": {grouped("Grouped(3)")}, "each": {grouped("Grouped(6)")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := exec.CommandContext(t.Context(), build(t, "grader/studio/train/testdata/writes", with...)).Output()
			require.NoError(t, err)
			var out struct {
				Cached    bool
				Got, Want []int
			}
			require.NoError(t, json.Unmarshal(data, &out))
			require.True(t, out.Cached)
			require.Len(t, out.Got, 30)
			require.Equal(t, out.Want, out.Got)
		})
	}
}

// TestTrainGrouped trains a model with grouped queries, and takes it up again.
func TestTrainGrouped(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s := settings()
	s.Model.NumKVHeads = 1
	_, err = train.StandIns(s.Model)
	require.ErrorContains(t, err, "num_kv_heads is 1 and num_heads is 2: groups of heads need the elective that makes them, --with gqa")
	s.Model.With = []string{"gqa"}
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
	require.NoError(t, err)

	dir := newRun(t, s)
	var params int
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(e run.Event) {
		if e.Start != nil {
			params = e.Start.Params
		}
	}))
	log := logOf(t, dir)
	require.Less(t, log[len(log)-1].Loss, log[1].Loss-0.3)

	file := filepath.Join(t.TempDir(), "weights.safetensors")
	require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
	state, err := weights.Read(file)
	require.NoError(t, err)
	require.Equal(t, []int{8, 16}, state["layers.0.attn.k_proj.weight"].Shape)
	require.Equal(t, []int{16, 16}, state["layers.0.attn.q_proj.weight"].Shape)
	sum := 0
	for _, p := range state {
		sum += p.Len()
	}
	require.Equal(t, sum, params)

	e, err := train.Evaluate(t.Context(), binary, dir, train.Reading{On: dir}, io.Discard)
	require.NoError(t, err)
	again := filepath.Join(t.TempDir(), "again")
	_, err = train.ImportState(file, dir, again)
	require.NoError(t, err)
	other, err := train.Evaluate(t.Context(), binary, again, train.Reading{On: dir}, io.Discard)
	require.NoError(t, err)
	require.InEpsilon(t, e.Loss, other.Loss, 1e-6, "the matrix product is another")
	paces, err := train.Pace(t.Context(), binary, dir, io.Discard)
	require.NoError(t, err)
	require.NotEmpty(t, paces)

	s.Model.NumKVHeads, s.Model.With = 0, nil
	ungrouped := newRun(t, s)
	_, err = train.ImportState(file, ungrouped, filepath.Join(t.TempDir(), "other"))
	require.ErrorContains(t, err, "layers.0.attn.k_proj.weight has shape (8, 16), want (16, 16)")
}

// TestShippedModel reads the model that comes with the kit, which is small and knows
// the village, on texts of several kinds.
func TestShippedModel(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	dir := filepath.Join(kit.Root, "reference", "models", "village-gqa")
	c, err := run.Open(dir)
	require.NoError(t, err)
	require.Equal(t, 2, c.Model.NumKVHeads)
	size := int64(0)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		size += info.Size()
	}
	require.Less(t, size, int64(1_000_000))

	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), c.Model, t.TempDir())
	require.NoError(t, err)
	text := run.Validation(corpus.Village(2, 200_000)) // other stories than it has learnt from
	loss := func(context int) float64 {
		e, err := train.Evaluate(t.Context(), binary, dir, train.Reading{Text: text, Context: context}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, e.Characters, e.Tokens)
		require.Equal(t, e.Bytes, e.Tokens)
		require.InDelta(t, e.BitsPerCharacter(), e.BitsPerByte(), 1e-12)
		return e.Loss
	}
	good := loss(0)
	require.Less(t, good, 0.21)
	require.Greater(t, good, corpus.VillageEntropy())
	require.Equal(t, good, loss(c.Model.ContextLength))
	require.Greater(t, loss(8), good+0.2, "it knows less of what is near")
	_, err = train.Evaluate(t.Context(), binary, dir, train.Reading{Text: text, Context: 97}, io.Discard)
	require.ErrorContains(t, err, "a context of 97 tokens; the model in "+dir+" can read 1 to 96 at once")
	for text, want := range map[string]string{"a": "the text has 1 tokens; want two or more", "Wien, 1900": "the text: the model has never seen"} {
		_, err = train.Evaluate(t.Context(), binary, dir, train.Reading{Text: text}, io.Discard)
		require.ErrorContains(t, err, want)
	}
}
