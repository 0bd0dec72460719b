package grader

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
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
