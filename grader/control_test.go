package grader

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// A check that panics over a forged answer, or fails in a way that the solution
// does not, costs the submission its points; what the solution meets too is the
// grader's failure.
func TestBlame(t *testing.T) {
	var none []float64
	panics := &course.Check{ID: "panics", Points: 60, Run: func(*course.Exam) error { none[3]++; return nil }}
	fails := &course.Check{ID: "fails", Points: 30, Run: func(*course.Exam) error { return errors.New("out of order") }}
	g := &run{trouble: map[string]error{}}
	step := report.Step{}
	for _, check := range []*course.Check{panics, fails} {
		c, err := g.runCheck(t.Context(), &course.Exam{}, check)
		require.Error(t, err)
		require.Equal(t, verdict.GraderError, c.Verdict)
		step.Checks = append(step.Checks, c)
	}
	step.Checks = append(step.Checks, g.refused(&course.Check{ID: "built", Points: 10}, errors.New("too much data")))
	step.Close()
	require.Nil(t, step.Score)

	control := report.Step{Checks: []report.Check{
		{ID: "panics", Verdict: verdict.Passed}, {ID: "fails", Verdict: verdict.GraderError}, {ID: "built", Verdict: verdict.Passed}}}
	g.blameSubject(&step, &control)
	require.Equal(t, verdict.Exited, step.Checks[0].Verdict)
	require.Contains(t, step.Checks[0].Message, "index out of range")
	require.Equal(t, verdict.GraderError, step.Checks[1].Verdict)
	require.Equal(t, verdict.CompileError, step.Checks[2].Verdict)
	require.Contains(t, step.Checks[2].Message, "too much data")
	require.Nil(t, step.Score, "one check is the grader's")

	control.Checks[1].Verdict = verdict.Passed
	g.blameSubject(&step, &control)
	require.Zero(t, *step.Score)
}

// worn is a subject whose process ends at a call of "dies", if it has answered others.
type worn struct {
	answered, processes int
	always              bool // it ends at that call in any process
}

func (w *worn) Used() bool { return w.answered > 0 }

func (w *worn) Call(_ context.Context, function string, _ wire.Values) (wire.Values, error) {
	if function == "dies" && (w.always || w.answered > 2) {
		w.answered, w.processes = 0, w.processes+1
		return nil, &verdict.Failure{Kind: verdict.Panic}
	}
	w.answered++
	return nil, nil
}

// A check that ends a process which others have used is put once more to a new one, from
// its first call on.
func TestCheckHasAProcessOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		before    int // calls of other checks
		always    bool
		calls     []string
		processes int // that have ended
		passes    bool
	}{
		"ended by what others left":        {3, false, []string{"lives", "dies"}, 1, true},
		"ended by what it does itself":     {3, true, []string{"lives", "dies"}, 2, false},
		"in a process of its own already":  {0, true, []string{"lives", "dies"}, 1, false},
		"ended by what it has left itself": {1, false, []string{"lives", "lives", "lives", "dies"}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := &worn{answered: c.before, always: c.always}
			g, exam := &run{trouble: map[string]error{}}, &course.Exam{Step: &course.Step{}, Subject: hung{}.spare(nil, w)}
			_, err := g.runCheck(t.Context(), exam, &course.Check{ID: "check", Points: 1, Run: func(e *course.Exam) error {
				for _, function := range c.calls {
					if _, err := e.Call(function, nil); err != nil {
						return err
					}
				}
				return nil
			}})
			require.Equal(t, c.passes, err == nil)
			require.Equal(t, c.processes, w.processes)
		})
	}
}
