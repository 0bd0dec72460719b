package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteEditor writes the report as a terminal shows it, and behind it a line for every
// check that did not pass, as compilers write theirs:
//
//	steps/step05_swiglu/swiglu.go:112:1: error: the forward pass agrees with PyTorch: wrong values
//
// so that an editor can mark the place and go there. What is not written yet is a warning.
func (r *Report) WriteEditor(w io.Writer, s Setting) error {
	if err := r.WriteText(w, s.Style); err != nil {
		return err
	}
	out := &errWriter{w: w}
	fmt.Fprintln(out)
	for i := range r.Steps {
		step := &r.Steps[i]
		said := map[string]bool{}
		for _, c := range step.Checks {
			if c.Verdict == verdict.Passed || c.Verdict == verdict.GraderError || !c.Diagnosis.Again.Empty() {
				continue // or it fails for a reason that was told
			}
			severity, about, reason := "error", c.ID, c.inALine(s.Style)
			if c.Verdict == verdict.NotImplemented && c.Failure != nil {
				severity, about = "warning", c.Failure.What
			}
			if file, line := s.Place(step.ID, about, c.Message); !said[reason] {
				fmt.Fprintf(out, "%s:%d:1: %s: %s\n", file, line, severity, reason)
			}
			said[reason] = true
		}
	}
	return out.err
}

// inALine is what a check says in one line: how it ended, if what ended it is no result,
// and otherwise what was looked at, and the reason, if it is known.
func (c *Check) inALine(style Style) string {
	text := c.Title + ": " + c.Verdict.Text().In(style.Lang)
	switch {
	case !c.Diagnosis.Text.Empty():
		text += ". " + c.Diagnosis.Text.In(style.Lang)
	case c.Failure != nil && !c.Failure.Kind.OfValues():
		text = c.Failure.Message.In(style.Lang)
	}
	return strings.Join(strings.Fields(untrusted.Clean(text)), " ")
}
