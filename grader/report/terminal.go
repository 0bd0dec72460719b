package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
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
	style.Lang.Row(out, "\n"+style.Faint(style.Lang.Say("kit %s, fixtures %s, code: %s, seed %d", r.Kit, r.Fixtures, r.Impl, r.Seed)))
	return out.err
}

func (s *Step) writeText(w io.Writer, style Style) {
	title, score := style.Bold(s.ID)+"  "+s.Title, s.Points()+"   "+style.verdict(s.Verdict)
	gap := "   "
	if style.Lang.Fill(title+gap+score, 0) != title+gap+score {
		gap = "\n" + strings.Repeat(" ", len(s.ID)+2)
	}
	fmt.Fprintln(w, title+gap+score)
	if s.Message != "" {
		fmt.Fprintf(w, "\n%s\n", style.indent(s.Message, 2))
	}
	if len(s.Checks) > 0 && s.Checks[0].Message == s.Message && s.Message != "" {
		return // no check could even begin
	}
	fmt.Fprintln(w)
	told, words, top := map[string]bool{}, 0, 0
	for _, c := range s.Checks {
		words, top = max(words, lang.Width(c.Words().In(style.Lang))), max(top, len(strconv.Itoa(c.Max)))
	}
	for _, c := range s.Checks {
		style.Lang.Row(w, fmt.Sprintf("  %s %3d/%-*d  %s", style.padded(&c, words), c.Points, top, c.Max, c.Title))
		if text := c.text(style, told); text != "" && c.Verdict != verdict.NotImplemented && !c.InPart {
			fmt.Fprintf(w, "%s\n\n", style.indent(text, margin))
		}
	}
	if s.inPart() {
		fmt.Fprintf(w, "\n%s\n", style.indent("* "+course.AsFarAsAsked().In(style.Lang), 2))
	}
	if todo := s.notImplemented(); !todo.Empty() {
		fmt.Fprintf(w, "\n%s\n", style.indent(todo.In(style.Lang), 2))
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
	if f != nil {
		return f.In(style.Lang.Within(style.Lang.Measure() - margin - 1))
	}
	return c.Message
}

// margin is how far what is said about a check is indented.
const margin = 6

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

func (s Style) verdict(k verdict.Kind) string { return s.mark(k, s.Sign(k)+k.Text().In(s.Lang)) }

func (s Style) padded(c *Check, columns int) string {
	return s.mark(c.Verdict, s.Sign(c.Verdict)+lang.Pad(c.Words().In(s.Lang), columns))
}

func (s Style) mark(k verdict.Kind, text string) string {
	switch k {
	case verdict.Passed:
		return s.Good(text)
	case verdict.NotImplemented, verdict.Blocked:
		return s.Faint(text)
	}
	return s.Bad(text)
}

// indent lays a text out in lines that begin by columns further to the right.
func (s Style) indent(text string, by int) string {
	lines := strings.Split(s.Lang.Fill(strings.TrimRight(text, "\n"), by), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", by) + line
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
