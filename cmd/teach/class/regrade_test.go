package class_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

func marks(verdict verdict.Kind, points int) *report.Report {
	s := report.Step{ID: "step02", Checks: []report.Check{
		{ID: "linear.forward", Points: points, Max: 20, Verdict: verdict},
		{ID: "linear.rows", Points: 5, Max: 5, Verdict: "passed"}}}
	s.Close()
	return &report.Report{Steps: []report.Step{s}}
}

// A score that changed is told with the check and the reason.
func TestChange(t *testing.T) {
	before := &class.Result{Hash: "one", Terms: class.Terms{Kit: "aaa", Seed: 1, Sandbox: "landlock"}, Report: marks(verdict.Timeout, 0)}
	e := class.Event{Name: "alice", Hash: "one", Before: before, Report: marks(verdict.Passed, 20)}
	require.Equal(t, `alice: the kit changed (aaa to bbb)
  step02: 25/25, before 5/25
    linear.forward: passed (20), before timed out (0)`, class.Change(e, class.Terms{Kit: "bbb", Seed: 1, Sandbox: "landlock"}))
	require.Contains(t, class.Change(e, class.Terms{Kit: "aaa", Seed: 2, Sandbox: "limits"}),
		"alice: the fresh cases changed (seed 1 to 2), the sandbox changed (landlock to limits)")
	require.Contains(t, class.Change(e, before.Terms), "the result is not steady")
	e.Hash = "two"
	require.Contains(t, class.Change(e, before.Terms), "alice: the submission changed\n")
	require.Contains(t, class.Change(e, class.Terms{Kit: "bbb", Seed: 1, Sandbox: "landlock"}), "alice: the submission changed, the kit changed (aaa to bbb)\n")
	e.Report = marks(verdict.Panic, 0)
	require.Empty(t, class.Change(e, before.Terms), "the same score")
	require.Empty(t, class.Change(class.Event{Report: marks(verdict.Passed, 20)}, before.Terms), "nothing before")
}
