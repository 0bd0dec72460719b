package trial_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
)

// attempt is a milestone on the solutions.
func attempt(t *testing.T, name string) trial.Attempt {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	m, err := milestone.Find(name)
	require.NoError(t, err)
	return trial.Attempt{Milestone: m, Kit: kit, Source: workspace.Solutions(), Prints: t.Output()}
}

// The solutions reach what each milestone says that sound steps reach, and nothing
// about them is in doubt.
func TestSound(t *testing.T) {
	sweep.Only(t)
	last := 0.0
	for _, m := range milestone.All() {
		r, err := attempt(t, m.Name).Run(t.Context(), func(run.Step) {})
		require.NoError(t, err)
		require.Empty(t, r.Wrong(m), "%s: %v", m.Name, r.Wrong(m))
		require.Empty(t, r.Doubts)
		if r.Steps == r.Planned { // the machine was not too busy
			require.InEpsilon(t, m.Loss, r.Loss, 0.08, m.Name)
			if last > 0 && m.Name != "trained" {
				require.Less(t, r.Loss, last, "each sees more than the one before")
			}
			last = r.Loss
		}
		require.Greater(t, r.Loss, trial.Floor(m))
		require.Greater(t, len(r.Sample), 100)
	}
}

// What is wrong shows, whether or not a check of one step would have seen it.
func TestWrong(t *testing.T) {
	sweep.Only(t)
	const table, loss, mask, swiglu = "step03_embedding/embedding.go", "step07_softmax/crossentropy.go", "step08_attention/mask.go", "step05_swiglu/swiglu.go"
	for name, c := range map[string]struct {
		milestone, file, old, new string
		want                      string // in one of the sentences
	}{
		"a table that keeps the last gradient": {"bigram", table, "grad[j] += d", "grad[j] = d",
			"The gradient of table says before the first update that the loss changes by"},
		"a sum instead of a mean":       {"bigram", loss, "return loss / float64(len(c.targets)), nil", "return loss, nil", "Your cross-entropy says"},
		"a gradient that is not a mean": {"bigram", loss, "1/float32(len(c.targets))", "1", "The gradient of table says"},
		"a mask that shows the future":  {"attention", mask, "row[j] = j <= i", "row[j] = j <= i+1", "it sees what it should foretell"},
		"a gradient of nothing":         {"window", swiglu, "return dx\n}", "dx.Zero()\n\treturn dx\n}", "The gradient of embedding says"},
	} {
		t.Run(name, func(t *testing.T) {
			a := attempt(t, c.milestone)
			code, err := os.ReadFile(filepath.Join(a.Kit.Root, "solutions", filepath.FromSlash(c.file)))
			require.NoError(t, err)
			require.True(t, bytes.Contains(code, []byte(c.old)), c.old)
			a.Overlay = map[string][]byte{c.file: bytes.Replace(code, []byte(c.old), []byte(c.new), 1)}
			r, err := a.Run(t.Context(), func(run.Step) {})
			require.NoError(t, err)
			var said string
			for _, w := range r.Wrong(a.Milestone) {
				said += w.String() + "\n"
			}
			require.Contains(t, said, c.want)
		})
	}
}

// A milestone is built from the steps that it needs: what a later one looks like
// has no part in it.
func TestLaterStepsHaveNoPart(t *testing.T) {
	a := attempt(t, "bigram")
	a.Source = workspace.Own()
	a.Overlay = map[string][]byte{"step08_attention/mask.go": []byte("package attention\n\nthis does not compile\n")}
	_, err := a.Run(t.Context(), func(run.Step) {})
	require.ErrorContains(t, err, "step08_attention/mask.go is no Go file of a step that step07_softmax is built from")
}

func TestNotWrittenYet(t *testing.T) {
	a := attempt(t, "bigram")
	a.Source = workspace.Pristine()
	_, err := a.Run(t.Context(), func(run.Step) {})
	var todo *train.NotImplementedError
	require.ErrorAs(t, err, &todo)
	require.Equal(t, "step03", todo.Step())
}

// Code that does not come to an end is ended.
func TestEndless(t *testing.T) {
	sweep.Only(t)
	a := attempt(t, "bigram")
	const file = "step03_embedding/embedding.go"
	code, err := os.ReadFile(filepath.Join(a.Kit.Root, "solutions", filepath.FromSlash(file)))
	require.NoError(t, err)
	a.Overlay = map[string][]byte{file: bytes.Replace(code, []byte("grad[j] += d"), []byte("for {\n}"), 1)}
	a.Overlay[file] = bytes.Replace(a.Overlay[file], []byte("for j, d := range dy.Row(n) {"), []byte("for range dy.Row(n) {"), 1)
	a.Overlay[file] = bytes.Replace(a.Overlay[file], []byte("grad := e.Weight.Grad.Row(id)"), []byte("_ = id"), 1)
	a.Wait = 2 * time.Second
	_, err = a.Run(t.Context(), func(run.Step) {})
	var said *train.ProgramError
	require.ErrorAs(t, err, &said)
	require.ErrorContains(t, err, "did not come to an end within 2s")
}

func TestInterrupted(t *testing.T) {
	sweep.Only(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := attempt(t, "attention").Run(ctx, func(run.Step) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

// What is open follows from the graph of the steps.
func TestWaits(t *testing.T) {
	passed := func(ids ...string) func(string) bool {
		return func(step string) bool {
			for _, id := range ids {
				if id == step {
					return true
				}
			}
			return false
		}
	}
	for name, c := range map[string]struct {
		milestone string
		passed    []string
		waits     []string
	}{
		"nothing has passed":            {"bigram", nil, []string{"step03", "step07"}},
		"the two that it is made of":    {"bigram", []string{"step03", "step07"}, nil},
		"what those are built on":       {"window", []string{"step01", "step03", "step05", "step07"}, []string{"step02"}},
		"attention needs no network":    {"attention", []string{"step01", "step02", "step03", "step04", "step06", "step07"}, []string{"step08"}},
		"there is no milestone without": {"trained", []string{"step11"}, []string{"step01", "step02", "step03", "step04", "step05", "step06", "step07", "step08", "step09", "step10"}},
	} {
		m, err := milestone.Find(c.milestone)
		require.NoError(t, err)
		require.Equal(t, c.waits, m.Waits(passed(c.passed...)), name)
	}
	m, err := milestone.Find("2")
	require.NoError(t, err)
	require.True(t, m.NeedsStep("step02"), "through step05")
	require.False(t, m.NeedsStep("step08"))
}

// A result is kept whole, and a damaged one does not count.
func TestKept(t *testing.T) {
	root := t.TempDir()
	m, err := milestone.Find("1")
	require.NoError(t, err)
	want := trial.Result{Name: "bigram", Loss: 2, Sample: "a", Curve: []run.Step{{Step: 1, Loss: 4}}}
	require.NoError(t, want.Save(root, m))
	kept, err := trial.Kept(root)
	require.NoError(t, err)
	require.Equal(t, map[string]trial.Result{"bigram": want}, kept)
	require.NoError(t, os.WriteFile(m.Path(root), []byte(`{"name": "bigr`), 0o644))
	kept, err = trial.Kept(root)
	require.NoError(t, err)
	require.Empty(t, kept)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(m.Path(root)), "*"))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing temporary is left")
}

// The floor of a table is that of the text it is measured on, which no table beats.
func TestFloorOfATable(t *testing.T) {
	m, err := milestone.Find("bigram")
	require.NoError(t, err)
	require.InDelta(t, 1.97, trial.Floor(m), 0.02)
	require.Less(t, trial.Floor(m), m.Loss)
}
