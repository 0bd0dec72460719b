package course

import (
	"errors"

	"github.com/stubformer/stubformer/grader/lang"
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
