package standing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/progress"
)

// The parts of a step stand behind it as long as it is not done, the next one is the
// first that has not passed, and they are counted with the whole alone.
func TestParts(t *testing.T) {
	whole := &course.Step{ID: "step02", Folder: "two", Track: course.Core, Needs: []string{"step01"},
		Checks: []course.Check{{ID: "one", Points: 3}, {ID: "two", Points: 5}},
		Parts:  []course.Part{{Letter: "a", Checks: []string{"one"}}, {Letter: "b", Checks: []string{"two"}}}}
	first := &course.Step{ID: "step01", Folder: "one", Track: course.Core, Checks: []course.Check{{ID: "zero", Points: 1}}}
	steps := []*course.Step{first, whole}
	passed := progress.Attempt{Step: "step01", Score: 1, Max: 1, Verdict: "passed"}
	part := progress.Attempt{Step: "step02a", Score: 3, Max: 3, Verdict: "passed", Checks: map[string]string{"one": "passed"}}
	all := progress.Attempt{Step: "step02", Score: 8, Max: 8, Verdict: "passed", Checks: map[string]string{"one": "passed", "two": "passed"}}
	ids := func(c standing.Course) (ids []string) {
		for _, s := range c.Steps {
			ids = append(ids, s.ID)
		}
		return ids
	}
	for name, c := range map[string]struct {
		attempts []progress.Attempt
		ids      []string
		next     string
	}{
		"blocked":        {nil, []string{"step01", "step02"}, "step01"},
		"open":           {[]progress.Attempt{passed}, []string{"step01", "step02", "step02a", "step02b"}, "step02a"},
		"a part is done": {[]progress.Attempt{passed, part}, []string{"step01", "step02", "step02a", "step02b"}, "step02b"},
		"all is done":    {[]progress.Attempt{passed, part, all}, []string{"step01", "step02"}, ""},
	} {
		got := standing.New(steps, c.attempts, nil, nil)
		require.Equal(t, c.ids, ids(got), name)
		_, top, _, count := got.Total(false)
		require.Equal(t, []int{9, 2}, []int{top, count}, name)
		if c.next == "" {
			require.Nil(t, got.Next(), name)
			continue
		}
		require.Equal(t, c.next, got.Next().ID, name)
	}
}
