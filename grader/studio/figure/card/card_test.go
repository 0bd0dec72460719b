package card_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/lang"
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

// The card shows the best finished run, not the newest, and one's own before another's.
func TestBestRun(t *testing.T) {
	kit := emptyKit(t)
	s, _ := run.Named("tiny")
	s.Model.ContextLength, s.Recipe.Steps = 4, 20
	trained := func(name, impl string, step int, loss float64) {
		dir := filepath.Join(kit.Root, "runs", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o755))
		require.NoError(t, run.Create(dir, run.Text{Corpus: "x.txt", Text: strings.Repeat("abc", 40)}, 0, s))
		require.NoError(t, run.TrainWith(dir, run.Stretch{Impl: impl}))
		log, err := run.OpenLog(dir, 0)
		require.NoError(t, err)
		require.NoError(t, log.Append(run.Step{Step: step, Loss: loss, ValidationLoss: new(loss), Sample: name + " went to the river."}))
		require.NoError(t, os.WriteFile(filepath.Join(dir, run.PendingFile), nil, 0o600))
		require.NoError(t, log.Commit())
		require.NoError(t, log.Close())
	}
	shown := func() string {
		c, err := card.Gather(kit, "")
		require.NoError(t, err)
		return c.Byline().In(lang.Printer{})
	}
	trained("f-stopped", run.Mine, 10, 0.5)
	require.Equal(t, "written by this model: f-stopped, trained by your own code, stopped after 10 of 20 updates", shown())
	trained("e-solutions", run.Solutions, 20, 1)
	require.Equal(t, "written by this model: e-solutions, trained by the solutions", shown())
	trained("d-own", run.Mine, 20, 3)
	require.Equal(t, "written by this model: d-own, trained by your own code", shown())
	trained("c-better", run.Mine, 20, 2)
	trained("b-worse", run.Mine, 20, 2.5)
	require.Equal(t, "written by this model: c-better, trained by your own code", shown())
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
