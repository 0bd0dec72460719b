package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteText writes the report for a person: a heading a step, a line a check,
// and below each failed check what was asked, what came back and why.
func (r *Report) WriteText(w io.Writer, style Style) error {
	out := &errWriter{w: w}
	for i, s := range r.Steps {
		if i > 0 {
			fmt.Fprintln(out)
		}
		s.writeText(out, style)
	}
	if len(r.Steps) > 1 {
		r.writeTotal(out, style)
	}
	fmt.Fprintf(out, "\n%s\n", style.Faint(style.Lang.Say("kit %s, fixtures %s, code: %s, seed %d", r.Kit, r.Fixtures, r.Impl, r.Seed)))
	return out.err
}

func (s *Step) writeText(w io.Writer, style Style) {
	fmt.Fprintf(w, "%s  %s   %s   %s\n", style.Bold(s.ID), s.Title, s.Points(), style.verdict(s.Verdict))
	if s.Message != "" {
		fmt.Fprintf(w, "\n%s\n", indent(s.Message, "  "))
	}
	if len(s.Checks) > 0 && s.Checks[0].Message == s.Message && s.Message != "" {
		return // no check could even begin
	}
	fmt.Fprintln(w)
	told := map[string]bool{}
	for _, c := range s.Checks {
		fmt.Fprintf(w, "  %s %3d/%-3d %s\n", style.padded(c.Verdict), c.Points, c.Max, c.Title)
		if text := c.text(style, told); text != "" && c.Verdict != verdict.NotImplemented {
			fmt.Fprintf(w, "%s\n\n", indent(text, "      "))
		}
	}
	if todo := s.notImplemented(); !todo.Empty() {
		fmt.Fprintf(w, "\n  %s\n", todo.In(style.Lang))
	}
}

// text is what is said about a check: all of its message, or one line if the
// reader was told the reason at an earlier check of the step, or nothing if all
// of it was said before. told remembers what was said.
func (c *Check) text(style Style, told map[string]bool) string {
	f, key := c.Failure, c.Message
	if f != nil && !style.Verbose && !f.Diagnosis.Again.Empty() {
		return f.Diagnosis.Again.In(style.Lang)
	}
	short := ""
	if f != nil && !f.Kind.OfValues() { // how it ended, without what was asked
		short = style.Lang.Say("the same: %s", f.Message.In(style.Lang))
		key = string(f.Kind) + "\n" + short + "\n" + f.Detail
		if f.Source != "" { // the index that is out of range may be another
			short = style.Lang.Say("in the same line: %s", f.Message.In(style.Lang))
			key = string(f.Kind) + "\n" + f.Source + "\n" + f.Detail
		}
	}
	if told[key] && !style.Verbose {
		return short
	}
	told[key] = true
	return c.Message
}

// notImplemented says what is still a stub, in one sentence.
func (s *Step) notImplemented() lang.Text {
	var names []string
	seen := map[string]bool{}
	for _, c := range s.Checks {
		if c.Verdict != verdict.NotImplemented || c.Failure == nil {
			continue
		}
		name := c.Failure.What
		if _, after, found := strings.Cut(name, ": "); found { // "step05: SwiGLU.Forward"
			name = after
		}
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	if len(names) == 0 {
		return lang.Text{}
	}
	return lang.T("Not implemented yet: %s.", strings.Join(names, ", "))
}

// Points writes the score: "42/100", or "–/100" if the grader failed.
func (s *Step) Points() string {
	if s.Score == nil {
		return fmt.Sprintf("–/%d", s.Max)
	}
	return fmt.Sprintf("%d/%d", *s.Score, s.Max)
}

func (r *Report) writeTotal(w io.Writer, style Style) {
	fmt.Fprintf(w, "\n%s\n", style.Bold(style.Lang.Say("total")))
	r.writeSum(w, style, "", false)
	r.writeSum(w, style, style.Lang.Say("electives"), true)
}

// writeSum writes the lines of the steps of the core, or of the electives, and
// their sum, if there are any.
func (r *Report) writeSum(w io.Writer, style Style, label string, electives bool) {
	score, top := 0, 0
	for _, s := range r.Steps {
		if electives != (s.Track != "") {
			continue
		}
		fmt.Fprintf(w, "  %s  %-12s %8s   %s\n", s.ID, s.Name, s.Points(), style.verdict(s.Verdict))
		top += s.Max
		if s.Score != nil {
			score += *s.Score
		}
	}
	if top > 0 {
		fmt.Fprintf(w, "  %s %8s\n", lang.Pad(label, 20), fmt.Sprintf("%d/%d", score, top))
	}
}

func (s Style) verdict(k verdict.Kind) string { return s.mark(k, k.Text().In(s.Lang)) }

func (s Style) padded(k verdict.Kind) string { return s.mark(k, lang.Pad(k.Text().In(s.Lang), 19)) }

func (s Style) mark(k verdict.Kind, text string) string {
	switch k {
	case verdict.Passed:
		return s.Good(text)
	case verdict.NotImplemented, verdict.Blocked:
		return s.Faint(text)
	}
	return s.Bad(text)
}

func indent(text, by string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = by + line
		}
	}
	return strings.Join(lines, "\n")
}

// errWriter remembers the first error, so that a run of Fprintf needs one check.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err = err
	return n, err
}
