package grader

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// What passed in part counts only as long as the same function gives no wrong values
// elsewhere; other failures, and those of other functions, do not touch it.
func TestWithdraw(t *testing.T) {
	for name, tt := range map[string]struct {
		kind     verdict.Kind
		function string
		kept     bool
	}{
		"wrong values":           {verdict.WrongValues, "f", false},
		"not finite":             {verdict.NotFinite, "f", false},
		"another function":       {verdict.WrongValues, "g", true},
		"a panic at a bad input": {verdict.Panic, "f", true},
	} {
		checks := []report.Check{
			{ID: "part", Verdict: verdict.Passed, InPart: true, Points: 5, Max: 5},
			{ID: "whole", Verdict: verdict.Passed, Points: 3, Max: 3},
			{ID: "wrong", Verdict: tt.kind, Failure: &verdict.Failure{Kind: tt.kind}, Max: 9},
		}
		new(run).withdraw(checks, map[string]map[string]bool{"part": {"f": true}, "whole": {"f": true}, "wrong": {tt.function: true}})
		require.Equal(t, tt.kept, checks[0].InPart, name)
		require.Equal(t, tt.kept, checks[0].Points == 5, name)
		require.Equal(t, tt.kept, checks[0].Verdict == verdict.Passed, name)
		require.Equal(t, 3, checks[1].Points, name)
	}
}
