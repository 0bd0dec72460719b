package grader

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
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
		c, err := g.runCheck(t.Context(), &course.Exam{Step: &course.Step{}}, check)
		require.Error(t, err)
		require.Equal(t, verdict.GraderError, c.Verdict)
		step.Checks = append(step.Checks, c)
	}
	step.Checks = append(step.Checks, g.refused(&course.Check{ID: "built", Points: 10}, errors.New("too much data")))
	step.Close()
	require.Nil(t, step.Score)

	control := report.Step{Checks: []report.Check{
		{ID: "panics", Verdict: verdict.Passed}, {ID: "fails", Verdict: verdict.GraderError}, {ID: "built", Verdict: verdict.Passed}}}
	g.blameSubject(&step, inFinished(&control))
	require.Equal(t, verdict.Exited, step.Checks[0].Verdict)
	require.Contains(t, step.Checks[0].Message, "index out of range")
	require.Equal(t, verdict.GraderError, step.Checks[1].Verdict)
	require.Equal(t, verdict.CompileError, step.Checks[2].Verdict)
	require.Contains(t, step.Checks[2].Message, "too much data")
	require.Nil(t, step.Score, "one check is the grader's")

	control.Checks[1].Verdict = verdict.Passed
	g.blameSubject(&step, inFinished(&control))
	require.Zero(t, *step.Score)
}

// inFinished tells which checks the grader could finish with the solution.
func inFinished(control *report.Step) func(*report.Check) bool {
	ids := finished(control)
	return func(c *report.Check) bool { return ids[c.ID] }
}

// What the machine lacked is nobody's fault, whatever becomes of the solution. What the
// system did to a program for want of memory it does not do to the solution.
func TestNobodyIsBlamedForTheMachine(t *testing.T) {
	g := &run{}
	busy := &stint.StarvedError{Clock: time.Hour, Had: time.Second}
	for name, c := range map[string]struct {
		err  error
		want verdict.Kind
	}{
		"no processor":          {busy, verdict.GraderError},
		"the build cache lacks": {&scratch.MachineError{Err: errors.New("the build cache lacks x")}, verdict.GraderError},
		"a full disk":           {&fs.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}, verdict.GraderError},
		"killed by the system":  {&workspace.BuildLimitError{Folder: "step02_linear", Kind: workspace.OfSystem}, verdict.OutOfMemory},
		"anything else":         {errors.New("too much data"), verdict.CompileError},
	} {
		t.Run(name, func(t *testing.T) {
			g.trouble = map[string]error{}
			step := report.Step{Checks: []report.Check{g.refused(&course.Check{ID: "built", Points: 10}, c.err)}}
			require.Equal(t, verdict.GraderError, step.Checks[0].Verdict, "before the solution was tried")
			g.blameSubject(&step, func(*report.Check) bool { return true })
			require.Equal(t, c.want, step.Checks[0].Verdict)
			require.Equal(t, c.want == verdict.GraderError, step.Score == nil)
		})
	}
}

// What the system killed is told as that if it does not kill the solution.
func TestKilledBySystem(t *testing.T) {
	g := &run{trouble: map[string]error{}}
	killed := &course.Check{ID: "killed", Points: 1, Run: func(*course.Exam) error {
		return &verdict.Failure{Kind: verdict.GraderError, Suspected: verdict.OutOfMemory, Message: lang.T("the system killed it")}
	}}
	c, err := g.runCheck(t.Context(), &course.Exam{Step: &course.Step{}}, killed)
	require.Error(t, err)
	step := report.Step{Checks: []report.Check{c}}
	g.blameSubject(&step, suspected)
	require.Equal(t, verdict.OutOfMemory, step.Checks[0].Verdict)
	require.Contains(t, step.Checks[0].Message, "the system killed it")
}

// What fails while a disk is full counts for nothing, and what is not written is that.
func TestExcuse(t *testing.T) {
	g, stub := &run{trouble: map[string]error{}}, &verdict.Failure{Kind: verdict.NotImplemented}
	result := report.Step{Checks: []report.Check{
		{ID: "saves", Max: 50, Verdict: verdict.Panic, Failure: &verdict.Failure{Kind: verdict.Panic}},
		{ID: "stub", Max: 25, Verdict: verdict.NotImplemented, Failure: stub},
		{ID: "adds", Max: 25, Points: 25, Verdict: verdict.Passed},
	}}
	g.excuse(&result)
	require.Equal(t, verdict.GraderError, result.Checks[0].Verdict)
	require.Contains(t, result.Checks[0].Message, "was full")
	require.True(t, workspace.OfMachine(g.trouble["saves"]))
	require.Equal(t, verdict.NotImplemented, result.Checks[1].Verdict)
	require.Equal(t, verdict.Passed, result.Checks[2].Verdict)
	require.Nil(t, result.Score)
}

// After a machine was found too busy nothing more is asked of it.
func TestTooBusyIsRemembered(t *testing.T) {
	g, busy := &run{trouble: map[string]error{}}, &stint.StarvedError{Clock: time.Hour, Had: time.Second}
	_, err := g.runCheck(t.Context(), &course.Exam{Step: &course.Step{}}, &course.Check{ID: "a", Run: func(*course.Exam) error { return busy }})
	require.Equal(t, busy, err)
	require.Equal(t, busy, g.endless.known(&course.Step{}, workspace.Build{}))
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
