package figure

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// recallRun writes the folder of a model that was asked for ten answers of each number of
// pairs.
func recallRun(t *testing.T, dir string, seed uint64, with []string, right ...int) {
	c := run.NewRecall(seed, with)
	for i, n := range right {
		c.Scores = append(c.Scores, run.RecallScore{Pairs: c.Recipe.Pairs[i], Right: n, Asked: 10})
	}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, c.Write(dir))
}

func TestRecall(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	recallRun(t, at("core-1"), 1, nil, 10, 10, 10, 9)
	recallRun(t, at("window-1"), 1, []string{"window"}, 10, 10, 8, 2)
	recallRun(t, at("window-2"), 2, []string{"window"}, 10, 8, 7, 4)
	c, err := Make(context.Background(), "recall", Options{Runs: []string{at("core-1"), at("window-1"), at("window-2")}})
	require.NoError(t, err)
	lines := c.Panels[0].Lines
	require.Len(t, lines, 2+3+2, "each seed, the mean, and two bounds")
	require.Equal(t, "core", lines[1].Name)
	require.Equal(t, "window", lines[4].Name)
	require.Equal(t, []float64{4, 8, 16, 32}, lines[4].X)
	require.InDeltaSlice(t, []float64{1, 0.9, 0.75, 0.3}, lines[4].Y, 1e-12)
	require.Equal(t, "at best, 32 tokens seen", lines[5].Name)
	require.Equal(t, corpus.BestRecall(32, 32), lines[5].Y[3])
	require.Equal(t, "at best, 63 tokens through 2 layers", lines[6].Name)
	require.Equal(t, corpus.BestRecall(32, 63), lines[6].Y[3])

	all, err := OpenRecalls(at("window-1"), at("window-2"))
	require.NoError(t, err)
	mean, low, high := all[0].Accuracy(3)
	require.InDeltaSlice(t, []float64{0.3, 0.2, 0.4}, []float64{mean, low, high}, 1e-12)

	recallRun(t, at("begun"), 1, nil)
	_, err = OpenRecalls(at("begun"))
	require.ErrorContains(t, err, "nothing was asked yet")
	recallRun(t, at("half"), 1, nil, 10, 10)
	_, err = OpenRecalls(at("half"))
	require.ErrorContains(t, err, "scores has 2 entries; want one for each of the 4 numbers of pairs")
	_, err = OpenRecalls(at("nowhere"))
	require.ErrorContains(t, err, "there is no folder")
}
