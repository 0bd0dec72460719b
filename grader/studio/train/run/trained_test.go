package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

// Whose code has trained a model is written down, and a run that goes on with other code
// has both.
func TestTrainWith(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, _ := Named("tiny")
	s.Model.ContextLength = 4
	require.NoError(t, Create(dir, Text{Corpus: "x.txt", Text: "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"}, 0, s))
	whose := func() string {
		c, err := Open(dir)
		require.NoError(t, err)
		return c.Trainer().In(lang.Printer{})
	}
	require.Empty(t, whose(), "nothing has trained it yet")
	require.NoError(t, TrainWith(dir, Stretch{Impl: Mine, Kit: "1", Kernel: "avx2"}))
	require.Equal(t, "your own code", whose())
	require.NoError(t, TrainWith(dir, Stretch{Impl: Solutions, Kit: "1", Kernel: "avx2"}))
	require.Equal(t, "the solutions", whose(), "the code before came to no update")

	log, err := OpenLog(dir, 0)
	require.NoError(t, err)
	require.NoError(t, log.Append(Step{Step: 10, Loss: 3}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, PendingFile), nil, 0o600))
	require.NoError(t, log.Commit())
	require.NoError(t, log.Close())
	for range 2 {
		require.NoError(t, TrainWith(dir, Stretch{Impl: Mine, Kit: "1", Kernel: "neon"}))
		require.Equal(t, "your own code and the solutions", whose())
	}
	c, err := Open(dir)
	require.NoError(t, err)
	require.Equal(t, []Stretch{{0, Solutions, "1", "avx2"}, {10, Mine, "1", "neon"}}, c.Trained)
}
