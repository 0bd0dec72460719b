package coursemap

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// below is what stands below the list where nothing stands beside it: what is wrong with
// the step under the cursor, or else what to do next.
func (m *Model) below(width int) []string {
	s := m.course.Steps[m.cursor]
	if len(m.causes(s)) == 0 {
		return m.advice(width)
	}
	if !m.tight() {
		return append([]string{""}, m.wrong(s, width)...)
	}
	first := m.causes(s)[0]
	return []string{text.Spread(m.theme.Bad.Render("✗ "+text.Cut(first.What, width-text.Width(first.Where)-5)), m.theme.Faint.Render(first.Where), width)}
}

// advice says what to do next, in a sentence or two.
func (m *Model) advice(width int) []string {
	next := m.course.Next()
	if next == nil {
		lines := []string{""}
		said := m.lang.Say("Every step has full marks. Press c for a card of what you have built, or t to let your model learn for longer, in the sizes small or base, and p to look inside it. The notebooks go on from there: notebooks/README.md.")
		for _, line := range text.Wrap(said, min(width, 92)) {
			lines = append(lines, m.theme.Good.Render(line))
		}
		return lines
	}
	todo := m.lang.Say("Press enter to read its lesson, write your code in %s and save", where(*next))
	switch {
	case next.State == standing.InWork && next.Last == nil:
		todo = m.lang.Say("Press r to grade what you have, or write on in %s and save", where(*next))
	case next.State == standing.InWork || next.State == standing.Wrong || next.State == standing.Broken:
		todo = m.lang.Say("Press enter to see what is still wrong, write on in %s and save", where(*next))
	}
	if m.tight() {
		return text.Wrap(m.lang.Say("→ Next: %s. %s.", next.ID, todo), width)
	}
	said := m.lang.Say("→ Next: %s, %s. %s: this dashboard grades it by itself.", next.ID, lang.Of(next.Title), todo)
	lines := []string{""}
	for _, line := range text.Wrap(said, max(20, min(width-8, 92))) {
		lines = append(lines, "    "+line)
	}
	lines[1] = "  " + lines[1][len("    "):]
	return lines
}

// where names the files of a step that are to be filled in.
func where(s standing.Step) string {
	folder := "steps/" + s.Folder
	if len(s.Files) == 1 {
		return folder + "/" + s.Files[0]
	}
	return folder
}

// beside draws the list, and beside it what is known of the step under the cursor.
func (m *Model) beside() string {
	list := m.inWindow(listWide)
	if !m.tight() {
		list = append([]string{""}, m.rows(listWide)...)
	}
	list = append(list, m.total(listWide)...)
	room := m.width - listWide - 3
	list = append(list, make([]string, max(0, m.height-len(list)))...) // the line between goes all the way down
	above := 0
	if m.tight() {
		above = 1 // the empty line
	}
	about := m.about(room, m.height+above)[above:]
	return text.Block(text.Beside(list, about, listWide, m.theme.Faint.Render(" │ ")), m.width, m.height)
}

// causes are what the last attempt at a step has found wrong.
func (m *Model) causes(s standing.Step) []report.Finding {
	if s.State != standing.Wrong && s.State != standing.Broken || m.busy[s.ID] != "" {
		return nil // of what was taken back, or is asked anew, nothing is known
	}
	return s.Last.Causes
}

// wrong says what the last attempt at a step has found wrong: what, what to do about it,
// where, and what it costs; all of that of the first cause, and the names of the others.
func (m *Model) wrong(s standing.Step, width int) []string {
	var lines []string
	const labelWide = 8
	entry := func(label, said string) {
		if said = strings.Join(strings.Fields(said), " "); said != "" {
			lines = append(lines, text.Entry("  "+m.theme.Faint.Render(label), labelWide+2, said, width)...)
		}
	}
	for i, f := range m.causes(s) {
		for k, line := range text.Wrap(f.What, width-2) {
			sign := "  "
			if k == 0 {
				sign = "✗ "
			}
			lines = append(lines, m.theme.Bad.Render(sign+line))
		}
		if i == 0 {
			entry(m.lang.Say("fix"), f.Do)
			if f.Where != "" {
				entry(m.lang.Say("where"), path.Base(f.Where)) // its folder is where the lesson is
			}
			costs := m.lang.Say("%d checks, %d points", f.Checks, f.Points)
			if f.Checks == 1 {
				costs = m.lang.Say("1 check, %d points", f.Points)
			}
			entry(m.lang.Say("costs"), costs)
		}
	}
	return lines
}

// about is what is known of the step under the cursor: what is wrong first, or else what to
// do next. The checks take what is left of the height.
func (m *Model) about(width, height int) []string {
	s := m.course.Steps[m.cursor]
	title := text.Wrap(s.ID+"  "+lang.Of(s.Title).In(m.lang), width)
	lines := []string{""}
	for _, line := range title {
		lines = append(lines, m.theme.Bold.Render(line))
	}
	if s.Last != nil {
		lines = append(lines, m.theme.Faint.Render(text.Cut(m.lang.Say("%s, %d/%d, %s", s.Last.Time.Local().Format(m.lang.Say("2 Jan 15:04")), s.Last.Score, s.Last.Max, verdict.Kind(s.Last.Verdict).Text()), width)))
	}
	if wrong := m.wrong(s, width); len(wrong) > 0 {
		lines = append(append(lines, ""), wrong...)
	} else if next := m.course.Next(); next == nil || next.ID == s.ID {
		lines = append(lines, m.advice(width)...)
	}
	lines = slices.Concat(lines, []string{""}, m.folder(s, width), []string{""})
	return append(lines, m.checks(s, width, height-len(lines))...)
}

// folder says where a step's files are, and what it is built on.
func (m *Model) folder(s standing.Step, width int) []string {
	var lines []string
	entry := func(label, said string) {
		lines = append(lines, text.Entry(m.theme.Faint.Render(label), 11, said, width)...)
	}
	entry(m.lang.Say("lesson"), "steps/"+s.Folder+"/"+m.lang.Say("README.md"))
	if len(s.Files) > 0 {
		entry(m.lang.Say("your code"), strings.Join(s.Files, ", "))
	}
	if len(s.Needs) > 0 {
		entry(m.lang.Say("builds on"), strings.Join(s.Needs, ", "))
	}
	if s.WaitsFor != "" && s.State == standing.Blocked {
		entry("", m.lang.Say("%s has not passed yet. Where the solutions are there you can begin here all the same: the grader puts sound earlier steps under this one.", s.WaitsFor))
	}
	return lines
}

// checks are the checks of a step, with how they went last; where the height ends, how many
// there are more.
func (m *Model) checks(s standing.Step, width, height int) []string {
	lines := []string{m.theme.Faint.Render(m.lang.Say("Checks, with their points"))}
	for i, c := range s.Checks {
		var kind verdict.Kind
		if s.Last != nil {
			kind = verdict.Kind(s.Last.Checks[c.ID])
		}
		sign, style := badge.Verdict(m.theme, kind)
		if kind == "" {
			sign = "○"
		}
		label := style.Render(sign) + text.Right(fmt.Sprint(c.Points), 4)
		entry := text.Entry(label, 7, lang.Of(c.Title).In(m.lang), width)
		last := 1 // line for those that are left
		if i == len(s.Checks)-1 {
			last = 0
		}
		if len(lines)+len(entry)+last > height {
			return append(lines, m.theme.Faint.Render(m.lang.Say("▼ and %d more", len(s.Checks)-i)))
		}
		lines = append(lines, entry...)
	}
	return lines
}
