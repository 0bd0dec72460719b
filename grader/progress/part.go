package progress

import (
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
)

// At returns the records of a step. Those of a part are its own, and what the
// attempts at the whole step say of its checks.
func At(step *course.Step, attempts []Attempt) []Attempt {
	var own []Attempt
	for _, a := range attempts {
		switch {
		case a.Step == step.ID:
			own = append(own, a)
		case step.Of == nil || a.Step != step.Of.ID:
		case a.Hint > 0 && slices.ContainsFunc(step.Hints, func(h course.Hint) bool { return h.For == a.HintFor }):
			a.Step = step.ID
			own = append(own, a)
		case a.Hint == 0:
			if part, ok := partOf(step, a); ok {
				own = append(own, part)
			}
		}
	}
	return own
}

// partOf makes an attempt at a part of one at the whole step. It is none if the
// attempt has none of the part's checks.
func partOf(step *course.Step, whole Attempt) (Attempt, bool) {
	a := whole
	a.Step, a.Score, a.Max, a.Verdict, a.Checks = step.ID, 0, 0, string(verdict.Passed), map[string]string{}
	for _, c := range step.Checks {
		v, ok := whole.Checks[c.ID]
		if !ok {
			continue // it was left out of the points
		}
		a.Checks[c.ID] = v
		a.Max += c.Points
		if v == string(verdict.Passed) {
			a.Score += c.Points
		} else if a.Verdict == string(verdict.Passed) {
			a.Verdict = v
		}
	}
	return a, len(a.Checks) > 0
}
