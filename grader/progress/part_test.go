package progress_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/progress"
)

// What is known of a part comes from the attempts at it and from those at the whole
// step, whichever was last.
func TestAPart(t *testing.T) {
	whole := &course.Step{ID: "step90",
		Checks: []course.Check{{ID: "one", Points: 3}, {ID: "one.fresh", Points: 4}, {ID: "two", Points: 5}},
		Hints:  []course.Hint{{For: "one", Text: "a"}, {For: "one", Text: "b"}, {For: "two", Text: "c"}},
		Parts:  []course.Part{{Letter: "a", Checks: []string{"one"}}, {Letter: "b", Checks: []string{"two"}}},
	}
	parts := whole.AsSteps()
	a, b := parts[0], parts[1]
	require.Equal(t, "step90a", a.ID)
	require.Equal(t, 7, a.Max())
	require.Len(t, b.Hints, 1)

	all := []progress.Attempt{
		{Step: "step90", Score: 3, Max: 12, Verdict: "wrong_values", Checks: map[string]string{"one": "passed", "one.fresh": "wrong_values", "two": "not_implemented"}},
		{Step: "step90b", Score: 5, Max: 5, Verdict: "passed", Checks: map[string]string{"two": "passed"}},
		{Step: "step90", Hint: 1, HintFor: "one"},
		{Step: "step91", Score: 9, Max: 9, Verdict: "passed"},
	}
	best := progress.Best(progress.At(a, all))["step90a"]
	require.Equal(t, [2]int{3, 7}, [2]int{best.Score, best.Max})
	require.Equal(t, "wrong_values", best.Verdict)
	last := progress.Last(progress.At(b, all))["step90b"]
	require.Equal(t, "passed", last.Verdict)
	require.Equal(t, 0, progress.At(b, all)[0].Score)
	require.Len(t, progress.At(whole, all), 2, "the whole step has its own alone")

	at := progress.HintingAt(a, all)
	require.Equal(t, "one.fresh", at.Check)
	require.Equal(t, 0, at.Seen, "the hint was for another check")
	require.Equal(t, "one.fresh", progress.FirstFailed(a, all))
}
