package report

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Finding is what is kept of a cause when the report is gone: its words, in the language of
// the report.
type Finding struct {
	What   string `json:"what"`            // is wrong
	Do     string `json:"do,omitempty"`    // its fix: what is right, or what to do
	Where  string `json:"where,omitempty"` // the line to look at: "steps/step06_rope/rope.go:84"
	Checks int    `json:"checks"`          // that it makes fail
	Points int    `json:"points"`          // that these would bring
}

// maxFindings is how many causes of a step are kept: who repairs these sees the others.
const maxFindings = 3

// Findings returns what is wrong with the step, the first causes. Place finds lines as in a
// Setting; nil if none are wanted.
func (s *Step) Findings(p lang.Printer, place func(step, check, message string) (file string, line int)) []Finding {
	var all []Finding
	wrong := Wrong(s.Causes())
	for _, c := range wrong[:min(len(wrong), maxFindings)] {
		what, _, _ := strings.Cut(c.Title.In(p), "\n")
		all = append(all, Finding{What: what, Do: c.Advice.In(p), Where: c.where(s.ID, place), Checks: len(c.Checks), Points: c.Points})
	}
	return all
}

// where is the line to look at, "" where none is known.
func (c *Cause) where(step string, place func(step, check, message string) (file string, line int)) string {
	if place == nil {
		return ""
	}
	file, line := place(step, c.Checks[0].about(), c.Checks[0].place())
	if line <= 1 { // 1 stands for a file as a whole
		return ""
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Smallest is the first small call that the step's report tells, nil if it tells none.
func (s *Step) Smallest() *verdict.Small {
	for _, c := range s.Checks {
		if c.Failure != nil && c.Failure.Small != nil {
			return c.Failure.Small
		}
	}
	return nil
}
