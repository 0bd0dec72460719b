package train_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// TestTrainRecall trains a model that sees all and one that sees 32 tokens in its one layer:
// the first finds every value, the second those within its window, and no more can be had. A
// seed gives the same model again.
func TestTrainRecall(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	learn := func(steps int, with ...string) (run.Recall, string) {
		c := run.NewRecall(1, with)
		c.Recipe.Pairs, c.Recipe.Steps, c.Recipe.LRMin = []int{2, 4, 16}, steps, 1e-3
		binary, err := train.BuildRecall(t.Context(), kit, workspace.Solutions(), c.Model, t.TempDir())
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, c.Write(dir))
		require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
		c, err = run.OpenRecall(dir)
		require.NoError(t, err)
		weights, err := os.ReadFile(filepath.Join(dir, run.WeightsFile))
		require.NoError(t, err)
		return c, string(weights)
	}
	_, first := learn(3)
	_, again := learn(3)
	require.True(t, first == again)
	all, _ := learn(700)
	for _, s := range all.Scores {
		require.Equal(t, 4096, s.Asked)
		require.Greater(t, s.Accuracy(), 0.95, "%d pairs", s.Pairs)
	}
	some, _ := learn(700, "window")
	require.Greater(t, some.Scores[1].Accuracy(), 0.95)
	const rounding = 4 * 0.008 // four standard deviations of 4,096 answers
	require.Less(t, some.Scores[2].Accuracy(), corpus.BestRecall(16, some.Reach())+rounding)
	require.Greater(t, some.Scores[2].Accuracy(), corpus.BestRecall(16, some.Window())-0.1)
}
