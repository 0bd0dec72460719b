package standing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/progress"
)

func TestStates(t *testing.T) {
	steps := []*course.Step{{ID: "step01", Folder: "a"}, {ID: "step02", Folder: "b"}, {ID: "step03", Folder: "c", Needs: []string{"step01", "step02"}}}
	score := func(step string, points int) progress.Attempt {
		return progress.Attempt{Step: step, Score: points, Max: 10}
	}
	for name, tt := range map[string]struct {
		attempts []progress.Attempt
		touched  map[string]bool
		states   []standing.State
		waits    string // what step03 waits for
		next     string
	}{
		"a newcomer": {nil, nil, []standing.State{standing.Untouched, standing.Untouched, standing.Blocked}, "step01", "step01"},
		"written, not graded": {nil, map[string]bool{"a": true},
			[]standing.State{standing.InWork, standing.Untouched, standing.Blocked}, "step01", "step01"},
		"graded before anything was written": {[]progress.Attempt{score("step01", 0)}, nil,
			[]standing.State{standing.Untouched, standing.Untouched, standing.Blocked}, "step01", "step01"},
		"what passed and is broken": {[]progress.Attempt{score("step01", 10), score("step01", 4)}, map[string]bool{"a": true},
			[]standing.State{standing.Broken, standing.Untouched, standing.Blocked}, "step02", "step01"},
		"repaired": {[]progress.Attempt{score("step01", 10), score("step01", 4), score("step01", 10)}, map[string]bool{"a": true},
			[]standing.State{standing.Passed, standing.Untouched, standing.Blocked}, "step02", "step02"},
		"work on a step that waits": {[]progress.Attempt{score("step03", 3)}, map[string]bool{"c": true},
			[]standing.State{standing.Untouched, standing.Untouched, standing.InWork}, "step01", "step01"},
		"wrong": {[]progress.Attempt{{Step: "step01", Score: 4, Max: 10, Verdict: "wrong_values"}, {Step: "step02", Max: 10, Verdict: "not_implemented"}},
			map[string]bool{"a": true, "b": true}, []standing.State{standing.Wrong, standing.InWork, standing.Blocked}, "step01", "step01"},
		"the end": {[]progress.Attempt{score("step01", 10), score("step02", 10), score("step03", 10)}, nil,
			[]standing.State{standing.Passed, standing.Passed, standing.Passed}, "", ""},
		"a hint is no attempt": {[]progress.Attempt{{Step: "step01", Hint: 1}}, nil,
			[]standing.State{standing.Untouched, standing.Untouched, standing.Blocked}, "step01", "step01"},
	} {
		t.Run(name, func(t *testing.T) {
			c := standing.New(steps, tt.attempts, tt.touched, nil)
			for i, want := range tt.states {
				require.Equal(t, want, c.Steps[i].State, c.Steps[i].ID)
			}
			require.Equal(t, tt.waits, c.Steps[2].WaitsFor)
			if tt.next == "" {
				require.Nil(t, c.Next())
			} else {
				require.Equal(t, tt.next, c.Next().ID)
			}
		})
	}
}
