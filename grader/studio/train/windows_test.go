package train_test

import (
	"encoding/json"
	"io"
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
