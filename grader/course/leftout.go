package course

import (
	"context"
	"errors"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// LeftOut is the error of a check that cannot be made here, which says nothing of
// the subject: the check is left out of the points.
type LeftOut struct{ Why lang.Text }

func (l *LeftOut) Error() string { return l.Why.String() }

// ErrKeptBack leaves out what a student edition does not hold: the oracle.
var ErrKeptBack error = &LeftOut{lang.T("only the instructor's edition knows what they should give")}

// WhyLeftOut says why a check was left out, if that is what its error says.
func WhyLeftOut(err error) (why lang.Text, leftOut bool) {
	var l *LeftOut
	if !errors.As(err, &l) {
		return why, false
	}
	return l.Why, true
}

// AsFarAsAsked is what is said of a check that passed in part: see Exam.InPart.
func AsFarAsAsked() lang.Text {
	return lang.T("Passed as far as this edition can ask; further questions, most of them fresh cases, have answers that only the instructor's edition knows.")
}

// KeptBack returns the ids of the checks that ask nothing in an edition without the
// oracle. A check that asks a single thing is not one of them.
func KeptBack(ctx context.Context, steps []*Step, set *fixtures.Set) []string {
	var ids []string
	for _, s := range steps {
		e := &Exam{Step: s, Subject: unwritten{}, Fixtures: set, Oracle: KeepBack}
		for _, c := range s.Checks {
			if errors.Is(e.Run(ctx, c), ErrKeptBack) {
				ids = append(ids, c.ID)
			}
		}
	}
	return ids
}

// unwritten is a subject in which no function is written.
type unwritten struct{}

func (unwritten) Call(_ context.Context, function string, _ wire.Values) (wire.Values, error) {
	return nil, &verdict.Failure{Kind: verdict.NotImplemented, What: function}
}

// LeavingOut returns the steps for an edition that keeps back what some of their checks
// should give: these, by id, are left out of the points, and the hints to them.
func LeavingOut(steps []*Step, keptBack ...string) []*Step {
	return changed(steps, func(s *Step) {
		s.Checks = slices.DeleteFunc(s.Checks, func(c Check) bool {
			out := slices.Contains(keptBack, c.ID)
			if out {
				s.KeptBack = append(s.KeptBack, c.ID)
			}
			return out
		})
		s.Hints = slices.DeleteFunc(s.Hints, func(h Hint) bool { return slices.Contains(s.KeptBack, h.For) })
	})
}

// changed returns copies of steps, changed: the steps themselves belong to all.
func changed(steps []*Step, change func(*Step)) []*Step {
	own := make([]*Step, len(steps))
	for i, s := range steps {
		step := *s
		step.Checks, step.Hints = slices.Clone(s.Checks), slices.Clone(s.Hints)
		change(&step)
		own[i] = &step
	}
	return own
}
