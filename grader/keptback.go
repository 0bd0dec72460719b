package grader

import (
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// withKeptBack adds to what is left out of the points the checks that a student
// edition cannot make, because it holds no oracle.
func withKeptBack(leftOut lang.Text, checks []string) lang.Text {
	if len(checks) == 0 {
		return leftOut
	}
	kept := lang.T("Left out of the points here, because only the instructor's edition knows what they should give: %s.", strings.Join(checks, ", "))
	if leftOut.Empty() {
		return kept
	}
	return lang.Lines(leftOut, kept)
}
