package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteText writes the report for a person: for each step, why it has lost points, the
// causes one below the other, and then what passed; or, if the style is verbose, every check.
func (r *Report) WriteText(w io.Writer, s Setting) error {
	out := &errWriter{w: w}
	for i := range r.Steps {
		step := &r.Steps[i]
		if len(r.Steps) > 1 && !s.Style.Verbose && step.inARow() {
			continue // the total has a line for it
		}
		if out.began {
			fmt.Fprintln(out)
		}
		if s.Style.Verbose {
			step.writeChecks(out, s.Style)
		} else {
			step.writeCauses(out, s)
		}
	}
	if len(r.Steps) > 1 {
		r.writeTotal(out, s.Style)
	}
	score := ""
	if len(r.Steps) == 1 {
		score = r.Steps[0].Points() + "   "
	}
	s.Style.Lang.Row(out, "\n"+score+s.Style.Faint(s.Style.Lang.Say("kit %s, fixtures %s, code: %s, seed %d", r.Kit, r.Fixtures, r.Impl, r.Seed)))
	return out.err
}

// inARow reports whether a line says all about the step: every check of it has passed, or
// nothing of it is written.
func (s *Step) inARow() bool {
	same := func(c Check) bool { return c.Verdict == s.Verdict && !c.InPart }
	return s.Message == "" && (s.Verdict == verdict.Passed || s.Verdict == verdict.NotImplemented) &&
		!slices.ContainsFunc(s.Checks, func(c Check) bool { return !same(c) })
}

// writeTitle writes the line of the step, with how it went.
func (s *Step) writeTitle(w io.Writer, style Style, went string) {
	title, score := style.Bold(s.ID)+"  "+s.Title, s.Points()+"   "+went
	gap := "   "
	if style.Lang.Fill(title+gap+score, 0) != title+gap+score {
		gap = "\n" + strings.Repeat(" ", len(s.ID)+2)
	}
	fmt.Fprintln(w, title+gap+score)
}

// writeChecks writes a line a check, and below it what was asked, what came back and why.
func (s *Step) writeChecks(w io.Writer, style Style) {
	s.writeTitle(w, style, style.verdict(s.Verdict))
	if s.Message != "" {
		fmt.Fprintf(w, "\n%s\n", style.indent(s.Message, 2))
	}
	if len(s.Checks) > 0 && s.Checks[0].Message == s.Message && s.Message != "" {
		return // no check could even begin
	}
	fmt.Fprintln(w)
	words, top := 0, 0
	for _, c := range s.Checks {
		words, top = max(words, lang.Width(c.Words().In(style.Lang))), max(top, len(strconv.Itoa(c.Max)))
	}
	for _, c := range s.Checks {
		style.Lang.Row(w, fmt.Sprintf("  %s %3d/%-*d  %s", style.padded(&c, words), c.Points, top, c.Max, c.Title))
		if text := c.text(style); text != "" && c.Verdict != verdict.NotImplemented && !c.InPart {
			fmt.Fprintf(w, "%s\n\n", indented(style.wide(text, margin), margin))
		}
	}
	if s.inPart() {
		fmt.Fprintf(w, "\n%s\n", style.indent("* "+course.AsFarAsAsked().In(style.Lang), 2))
	}
	if todo := s.notImplemented(); !todo.Empty() {
		fmt.Fprintf(w, "\n%s\n", style.indent(todo.In(style.Lang), 2))
	}
}

// text is all that is said about a check.
func (c *Check) text(style Style) string {
	if c.Failure != nil {
		return c.Failure.In(style.Lang.Within(style.Lang.Columns() - margin - 1))
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
		fmt.Fprintf(w, "  %s  %-12s %8s   %s\n", s.ID, s.Name, s.Points(), s.went(style, s.Causes()))
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

// indent lays prose out in lines that begin by columns further to the right.
func (s Style) indent(text string, by int) string {
	return indented(s.Lang.Fill(strings.TrimRight(text, "\n"), by), by)
}

// wide lays out what is no prose, in all of the width that is there.
func (s Style) wide(text string, margin int) string {
	if room := s.Lang.Room(margin); room < math.MaxInt {
		text = lang.Fill(text, room)
	}
	return strings.TrimRight(text, "\n")
}

func indented(text string, by int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", by) + line
		}
	}
	return strings.Join(lines, "\n")
}

// errWriter remembers the first error, so that a run of Fprintf needs one check.
type errWriter struct {
	w     io.Writer
	err   error
	began bool // something was written
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err, e.began = err, true
	return n, err
}
