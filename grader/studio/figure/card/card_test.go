package card_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
)

// emptyKit is a kit in which nothing was done.
func emptyKit(t *testing.T) *workspace.Kit {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "steps"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/stubformer/stubformer\n"), 0o644))
	kit, err := workspace.Find(root)
	require.NoError(t, err)
	return kit
}

// The card shows what there is: nothing, the milestones, the last run.
func TestGather(t *testing.T) {
	kit := emptyKit(t)
	c, err := card.Gather(kit, "")
	require.NoError(t, err)
	require.Empty(t, c.Curves)
	require.Empty(t, c.Sentence)
	passed, of := c.Core()
	require.Equal(t, []int{0, 11}, []int{passed, of})

	history := progress.Open(progress.Path(kit.Root))
	require.NoError(t, history.Append(progress.Attempt{Step: "step03", Score: 100, Max: 100}))
	require.NoError(t, history.Append(progress.Attempt{Step: "step12", Score: 100, Max: 100}))
	m, err := milestone.Find("bigram")
	require.NoError(t, err)
	result := trial.Result{Name: "bigram", Loss: 2, TokensPerSecond: 7,
		Sample: "a. Tom went to the river. b", Curve: []run.Step{{Step: 1, Loss: 4}, {Step: 2, Loss: 2}}}
	require.NoError(t, result.Save(kit.Root, m))
	c, err = card.Gather(kit, "")
	require.NoError(t, err)
	passed, _ = c.Core()
	require.Equal(t, 1, passed, "an elective is none of the core")
	require.Equal(t, "bigram", c.Model)
	require.Equal(t, "a. Tom went to the river. b", c.Sentence, "no sentence is long enough")
	require.Equal(t, []card.Curve{{Name: "bigram", X: []float64{1, 2}, Y: []float64{4, 2}}}, c.Curves)

	dir := filepath.Join(kit.Root, "runs", "one")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	_, err = card.Gather(kit, dir)
	require.ErrorContains(t, err, "holds no run")
}

// What was measured is kept, and a damaged file is as good as none.
func TestSpeed(t *testing.T) {
	kit := emptyKit(t)
	require.Zero(t, card.Speed(kit))
	path := filepath.Join(kit.Root, ".stubformer", "speed.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(`{"times_faster_than_three_loops": 57}`), 0o644))
	require.Equal(t, 57.0, card.Speed(kit).Times)
	require.NoError(t, os.WriteFile(path, []byte(`{"times`), 0o644))
	require.Zero(t, card.Speed(kit))
}
