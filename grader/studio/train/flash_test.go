package train_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestTrainFlash trains models whose attention comes in tiles, with step 08's heads and
// with grouped ones: their losses are those of the models without.
func TestTrainFlash(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	losses := func(with ...string) (all []float64) {
		s := settings()
		s.Model.With = with
		s.Recipe.Steps = 30
		binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
		require.NoError(t, err)
		dir := newRun(t, s)
		require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
		for _, step := range logOf(t, dir) {
			all = append(all, step.Loss)
		}
		return all
	}
	for name, with := range map[string][2][]string{
		"heads of step 08": {nil, {"flash"}},
		"grouped queries":  {{"gqa"}, {"gqa", "flash"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := losses(with[0]...)
			require.NotEmpty(t, want)
			require.InDeltaSlice(t, want, losses(with[1]...), 1e-3)
		})
	}
}

// TestMeasureAttention measures both attentions on short texts.
func TestMeasureAttention(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	var all []run.Attentions
	err = train.MeasureAttention(t.Context(), kit, workspace.Solutions(), 2048, io.Discard, func(a run.Attentions) { all = append(all, a) })
	require.NoError(t, err)
	require.Len(t, all, 6)
	for _, a := range all {
		require.Positive(t, a.Naive.Seconds)
		require.Positive(t, a.Flash.Seconds)
	}
	last := all[len(all)-1]
	require.Equal(t, 2048, last.Tokens)
	require.Greater(t, last.Naive.Bytes, 2*4*2048*2048, "weights and their gradients")
	require.Less(t, last.Flash.Bytes, 4*2048*2048/2)
}
