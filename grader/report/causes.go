package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// What is said about a cause stands this far under its title; of what the student's program
// printed, that are so many lines.
const inset, printed = 4, 8

// depth is how much is said about a cause. The last screen of a terminal has everything that
// one needs, so that the more there are, the less is said about each but the first.
type depth int

const (
	named depth = iota // what is wrong, where, and what it costs
	shown              // and the first wrong value
	whole              // and the lines of code, or what was printed
)

// depthOf is that of cause number i of n.
func depthOf(i, n int) depth {
	switch {
	case i == 0:
		return whole
	case n == 2:
		return shown
	}
	return named
}

// writeCauses writes what is wrong with a step, each cause once, and what passed in a line.
func (s *Step) writeCauses(w io.Writer, set Setting) {
	style, causes := set.Style, s.Causes()
	s.writeTitle(w, style, s.went(style, causes))
	refused := len(s.Checks) > 0 && s.Checks[0].Message == s.Message // it is the one cause
	if s.Message != "" && !refused {
		fmt.Fprintf(w, "\n%s\n", style.indent(s.Message, 2))
	}
	wrong := Wrong(causes)
	for i := range wrong {
		if i < 2 || depthOf(i, len(wrong)) > named {
			fmt.Fprintln(w)
		}
		wrong[i].write(w, set, s, depthOf(i, len(wrong)))
	}
	if len(wrong) < len(causes) || s.anyPassed() {
		fmt.Fprintln(w)
	}
	for _, c := range Waiting(causes) {
		text := c.Title.In(style.Lang)
		if c.Verdict == verdict.NotImplemented {
			text = s.notImplemented().In(style.Lang)
		}
		fmt.Fprintln(w, style.item(c.Verdict, style.Faint, text+" "+c.Costs().In(style.Lang)+"."))
	}
	s.writePassed(w, style, len(wrong) > 1)
}

// went is the verdict on the step, and how many causes it has.
func (s *Step) went(style Style, causes []Cause) string {
	wrong, points := Wrong(causes), 0
	for _, c := range s.Checks {
		if c.Verdict != verdict.Passed && waits(c.Verdict) == 0 {
			points += c.Max - c.Points
		}
	}
	text := style.Sign(s.Verdict) + s.Verdict.Text().In(style.Lang)
	switch {
	case len(wrong) == 0 || s.Verdict == verdict.GraderError:
	case len(wrong) == 1:
		text += style.Lang.Say(": 1 cause, %d points", points)
	default:
		text += style.Lang.Say(": %d causes, %d points", len(wrong), points)
	}
	return style.mark(s.Verdict, text)
}

// write writes a cause: what is wrong, which has the colour; how it is repaired; the first wrong
// value, where it is, and what it costs.
func (c *Cause) write(w io.Writer, set Setting, s *Step, how depth) {
	style, first := set.Style, c.Checks[0]
	title, more, _ := strings.Cut(c.Title.In(style.Lang), "\n")
	fmt.Fprintln(w, style.item(c.Verdict, style.Bad, title))
	if first.Failure == nil && s.Message != "" && first.Message == s.Message { // about all of the step, and says where
		fmt.Fprint(w, style.lines(more))
		return
	}
	if how > named {
		fmt.Fprint(w, style.lines(more))
		if !c.Advice.Empty() {
			fmt.Fprint(w, style.entry(style.Lang.Say("fix"), style.Lang.Fill(c.Advice.In(style.Lang), inset+style.labelWidth())))
		}
		c.writeEvidence(w, style, first.Failure, how)
	}
	if c.Verdict == verdict.GraderError { // it costs nothing
		fmt.Fprint(w, style.lines(c.names(func(check *Check) string { return check.ID })))
		return
	}
	where := c.where(s.ID, set.Place)
	costs := style.Lang.Say("%s: %s", c.Costs(), c.names(func(check *Check) string {
		return fmt.Sprintf("%s %d", check.ID, check.Max-check.Points)
	}))
	if how == named && where != "" {
		where, costs = "", where+"   "+costs
	}
	labels := [2]string{style.Lang.Say("where"), style.Lang.Say("costs")}
	for i, text := range [2]string{where, costs} {
		switch {
		case text == "":
		case how == named:
			fmt.Fprintln(w, strings.Repeat(" ", inset)+lang.Cut(text, style.Lang.Room(inset)))
		default:
			fmt.Fprint(w, style.entry(labels[i], lang.Cut(text, style.Lang.Room(inset+style.labelWidth()))))
		}
	}
}

// entry sets lines that are said of a cause behind a label: "fix", "where" or "costs".
func (s Style) entry(label, text string) string {
	wide := s.labelWidth()
	below := strings.TrimLeft(indented(text, inset+wide), " ")
	return strings.Repeat(" ", inset) + s.Faint(lang.Pad(label, wide)) + below + "\n"
}

// labelWidth is that of the widest of these labels, with the gap behind it.
func (s Style) labelWidth() int {
	const gap = 2
	return gap + max(lang.Width(s.Lang.Say("fix")), lang.Width(s.Lang.Say("where")), lang.Width(s.Lang.Say("costs")))
}

// lines lays out what is said under a title, if anything is.
func (s Style) lines(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return s.indent(text, inset) + "\n"
}

// writeEvidence writes how the first check of a cause failed, as briefly as that can be told.
func (c *Cause) writeEvidence(w io.Writer, style Style, f *verdict.Failure, how depth) {
	if f == nil {
		return
	}
	if asked := strings.Join(strings.Fields(f.Asked.In(style.Lang)), " "); asked != "" && !c.Known() {
		fmt.Fprintln(w, strings.Repeat(" ", inset)+lang.Cut(asked, style.Lang.Room(inset)))
	}
	if said := f.Message.In(style.Lang); said != c.Title.In(style.Lang) {
		fmt.Fprint(w, style.lines(said))
	}
	if f.Diff != nil {
		var facts []string
		for _, fact := range f.Diff.Brief() {
			label := fact.Label.In(style.Lang)
			if label != "" {
				label = style.Faint(label) + " "
			}
			facts = append(facts, label+fact.Text.In(style.Lang))
		}
		for _, line := range joined(facts, style.Lang.Columns()-inset) {
			fmt.Fprintln(w, strings.Repeat(" ", inset)+line)
		}
	}
	if f.Small != nil {
		label := style.Lang.Say("small case") + " "
		for _, line := range f.Small.Lines(style.Lang, style.Lang.Room(inset+lang.Width(label))) {
			fmt.Fprintln(w, strings.Repeat(" ", inset)+style.Faint(label)+line)
			label = strings.Repeat(" ", lang.Width(label))
		}
	}
	fmt.Fprint(w, style.lines(f.And.In(style.Lang)))
	if how < whole {
		return
	}
	text := cmp.Or(f.Source, f.Detail)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case i == printed && len(lines) > printed+1:
			fmt.Fprintln(w, strings.Repeat(" ", inset)+style.Lang.Say("… %d lines more with -v", len(lines)-printed))
			return
		case line != "":
			fmt.Fprintln(w, strings.Repeat(" ", inset)+line)
		}
	}
}

// joined puts facts side by side, as many in a line as there is room for.
func joined(facts []string, columns int) (lines []string) {
	const gap = "   "
	for _, fact := range facts {
		if last := len(lines) - 1; last >= 0 && lang.Width(lines[last]+gap+fact) <= columns {
			lines[last] += gap + fact
			continue
		}
		lines = append(lines, lang.Wrap(fact, columns)...)
	}
	return lines
}

// names are the checks of a cause, each as name writes it.
func (c *Cause) names(name func(*Check) string) string {
	var names []string
	for _, check := range c.Checks {
		names = append(names, name(check))
	}
	return strings.Join(names, ", ")
}

// Costs says how many checks a cause makes fail, and their points.
func (c *Cause) Costs() lang.Text {
	if len(c.Checks) == 1 {
		return lang.T("1 check, %d points", c.Points)
	}
	return lang.T("%d checks, %d points", len(c.Checks), c.Points)
}

// anyPassed reports whether a check of the step has passed.
func (s *Step) anyPassed() bool {
	return slices.ContainsFunc(s.Checks, func(c Check) bool { return c.Verdict == verdict.Passed })
}

// about names the function that a check has called when it failed, or the check itself.
func (c *Check) about() string {
	if c.Failure != nil && c.Failure.Function != "" {
		return c.Failure.Function
	}
	return c.ID
}

// place is what may name the line in which a check failed.
func (c *Check) place() string {
	if c.Failure != nil {
		return c.Message + "\n" + c.Failure.Detail
	}
	return c.Message
}

// writePassed names the checks that passed.
func (s *Step) writePassed(w io.Writer, style Style, inALine bool) {
	var names []string
	for _, c := range s.Checks {
		switch {
		case c.InPart:
			names = append(names, c.ID+"*")
		case c.Verdict == verdict.Passed:
			names = append(names, c.ID)
		}
	}
	if len(names) == 0 {
		return
	}
	text := style.Lang.Say("%d checks passed (-v shows them): %s", len(names), strings.Join(names, ", "))
	if len(names) == 1 {
		text = style.Lang.Say("1 check passed (-v shows it): %s", names[0])
	}
	if inALine {
		text = lang.Cut(text, style.Lang.Room(2))
	}
	fmt.Fprintln(w, style.item(verdict.Passed, style.Good, text))
	if s.inPart() {
		fmt.Fprintln(w, style.indent("* "+course.AsFarAsAsked().In(style.Lang), 2))
	}
}

// item lays out a text that begins with a sign, which stands before its lines, all of them in
// one colour.
func (s Style) item(k verdict.Kind, paint func(string) string, text string) string {
	lines := strings.Split(s.indent(text, 2), "\n")
	sign := s.Sign(k)
	if sign == "" {
		sign = "- "
	}
	lines[0] = sign + strings.TrimPrefix(lines[0], "  ")
	for i := range lines {
		lines[i] = paint(lines[i])
	}
	return strings.Join(lines, "\n")
}
