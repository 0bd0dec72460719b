package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteEditor writes the report as a terminal shows it, and behind it a line for every
// cause, as compilers write theirs:
//
//	steps/step05_swiglu/swiglu.go:112:1: error: the forward pass agrees with PyTorch: wrong values
//
// so that an editor can mark the place and go there. What is not written yet is a warning.
func (r *Report) WriteEditor(w io.Writer, s Setting) error {
	if err := r.WriteText(w, s); err != nil {
		return err
	}
	out := &errWriter{w: w}
	fmt.Fprintln(out)
	for i := range r.Steps {
		step := &r.Steps[i]
		for _, why := range step.Causes() {
			if why.Verdict != verdict.GraderError {
				why.writeEditor(out, s, step)
			}
		}
	}
	return out.err
}

// writeEditor writes the line of a cause, or one for each stub that is not written.
func (c *Cause) writeEditor(w io.Writer, s Setting, step *Step) {
	said := map[string]bool{}
	for _, check := range c.Checks {
		severity, about, reason := "error", check.about(), c.inALine(s.Style)
		if c.Verdict == verdict.NotImplemented && check.Failure != nil {
			severity, about, reason = "warning", check.Failure.What, inALine(check.Failure.Message.In(s.Style.Lang))
		}
		if said[reason] {
			continue
		}
		said[reason] = true
		file, line := s.Place(step.ID, about, check.place())
		fmt.Fprintf(w, "%s:%d:1: %s: %s\n", file, line, severity, reason)
	}
}

// inALine is what a cause says in one line.
func (c *Cause) inALine(style Style) string {
	first, text := c.Checks[0], c.Title.In(style.Lang)
	if first.Verdict.OfValues() {
		text = first.Title + ": " + first.Verdict.Text().In(style.Lang)
		if !c.explained {
			return inALine(text)
		}
		text += ". " + c.Title.In(style.Lang)
	}
	if !c.Advice.Empty() {
		text += ". " + style.Lang.Say("fix: %s", c.Advice)
	}
	return inALine(text)
}

func inALine(text string) string { return strings.Join(strings.Fields(untrusted.Clean(text)), " ") }
