// Package diagnose recognises known mistakes: it compares what a subject
// answered to all of a step's fixtures with what every mistake in the catalogue
// answers to them.
//
// A wrong name is worse than none. A mistake is named only if it explains every
// answer of a function, the right ones included, and no other mistake does.
package diagnose

import (
	"fmt"
	"slices"
	"strings"
)

// Known is what the known mistakes of a step do, by id. A mistake that can be
// made in several ways has an entry for each: "gain-forgotten" and
// "gain-forgotten/derivative-too".
type Known map[string]Entry

// Entry is what one mistake does.
type Entry struct {
	Checks  []string          `json:"checks"`          // that fail
	Answers map[string]Sketch `json:"answers"`         // where they differ from the right ones, by mark
	Curve   bool              `json:"curve,omitempty"` // a loss curve is enough to know it by; see Known.Curve
}

// Of returns the entry of a mistake that has these marks and fails these
// checks. Numbers are rounded to what a comparison can use.
func Of(marks map[string]Mark, checks []string) Entry {
	e := Entry{Checks: checks, Answers: map[string]Sketch{}}
	for name, m := range marks {
		if m.Right() {
			continue
		}
		s := m.Got
		s.RMS = rounded(s.RMS)
		s.Sums = slices.Clone(s.Sums)
		for i := range s.Sums {
			s.Sums[i] = rounded(s.Sums[i])
		}
		e.Answers[name] = s
	}
	return e
}

// rounded keeps nine significant digits: two more than float32 has.
func rounded(x float64) float64 {
	var y float64
	fmt.Sscan(fmt.Sprintf("%.9g", x), &y)
	return y
}

// mistake is the id of the mistake that a variant belongs to.
func mistake(id string) string {
	id, _, _ = strings.Cut(id, "/")
	return id
}
