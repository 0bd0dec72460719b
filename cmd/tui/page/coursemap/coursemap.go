// Package coursemap is the map of the course: every step with its score and
// state, the total, and what to do next.
package coursemap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/meter"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// KeyMap are the keys of the map.
type KeyMap struct{ Up, Down, Open, Next key.Binding }

// Open asks for the screen of a step.
type Open struct{ Step string }

// Model is the page.
type Model struct {
	Keys   KeyMap
	theme  theme.Theme
	lang   lang.Printer
	course standing.Course
	loaded bool
	busy   map[string]string // what is going on in a step: "building"

	learning string // the milestone that is being trained
	cursor   int
	moved    bool // the person has moved the cursor

	width, height int
}

// New returns the page of a course. It speaks the language of p.
func New(t theme.Theme, p lang.Printer) Model {
	return Model{theme: t, lang: p, Keys: KeyMap{
		Up:   key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑↓", p.Say("step"))),
		Down: key.NewBinding(key.WithKeys("down", "j")),
		Open: key.NewBinding(key.WithKeys("enter", " ", "right", "l"), key.WithHelp("enter", p.Say("open"))),
		Next: key.NewBinding(key.WithKeys("n"), key.WithHelp("n", p.Say("next step"))),
	}}
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) { m.width, m.height = width, height }

// SetCourse shows another standing.
func (m *Model) SetCourse(c standing.Course) {
	selected := m.Selected()
	m.course, m.loaded = c, true
	m.cursor = min(m.cursor, max(0, len(c.Steps)-1))
	if !m.moved {
		m.toNext()
	} else if i := slices.IndexFunc(c.Steps, func(s standing.Step) bool { return s.ID == selected }); i >= 0 {
		m.cursor = i // other rows may have come or gone
	}
}

// SetBusy shows what is going on in a step; "" for nothing.
func (m *Model) SetBusy(step, what string) { m.busy = map[string]string{step: what} }

// Selected returns the id of the step under the cursor, or "".
func (m *Model) Selected() string {
	if len(m.course.Steps) == 0 {
		return ""
	}
	return m.course.Steps[m.cursor].ID
}

// toNext puts the cursor on the next step.
func (m *Model) toNext() {
	if next := m.course.Next(); next != nil {
		for i := range m.course.Steps {
			if m.course.Steps[i].ID == next.ID {
				m.cursor = i
			}
		}
	}
}

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding {
	return []key.Binding{m.Keys.Up, m.Keys.Open, m.Keys.Next}
}

// Update moves the cursor and opens steps.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok || len(m.course.Steps) == 0 {
		return nil
	}
	switch {
	case key.Matches(k, m.Keys.Up):
		m.cursor, m.moved = max(m.cursor-1, 0), true
	case key.Matches(k, m.Keys.Down):
		m.cursor, m.moved = min(m.cursor+1, len(m.course.Steps)-1), true
	case key.Matches(k, m.Keys.Next):
		m.toNext()
		m.moved = false
	case key.Matches(k, m.Keys.Open):
		step := m.Selected()
		return func() tea.Msg { return Open{step} }
	}
	return nil
}

// Click opens the step that stands in a line of the page, if one does.
func (m *Model) Click(line int) tea.Cmd {
	places := m.places()
	if m.tight() {
		from, to := m.window(len(places))
		places = places[from:to]
	} else {
		line-- // the empty line above
	}
	if line < 0 || line >= len(places) || places[line] < 0 {
		return nil
	}
	i := places[line]
	m.cursor, m.moved = i, true
	step := m.Selected()
	return func() tea.Msg { return Open{step} }
}

// sideBySide is the width from which a step's description stands beside the list.
const sideBySide = 120

// View draws the page.
func (m *Model) View() string {
	if !m.loaded {
		return text.Block([]string{"", m.lang.Say("Reading your history …")}, m.width, m.height)
	}
	width := m.width
	if width >= sideBySide {
		width = 84
	}
	if m.tight() {
		rows := m.rows(width)
		from, to := m.window(len(rows))
		return text.Block(slices.Concat(rows[from:to], m.total(width), m.advice(m.width)), m.width, m.height)
	}
	lines := append(append([]string{""}, m.rows(width)...), "")
	lines = append(lines, m.total(width)...)
	if m.width >= sideBySide {
		return m.beside(lines, width)
	}
	return text.Block(append(lines, m.advice(m.width)...), m.width, m.height)
}

// tight reports whether there is no room for empty lines and long sentences.
func (m *Model) tight() bool { return m.height < len(m.places())+8 }

// window returns which lines of the list there is room for, around the cursor: what
// to do next always stands below them.
func (m *Model) window(lines int) (from, to int) {
	room := min(lines, max(1, m.height-len(m.total(m.width))-len(m.advice(m.width))))
	at := slices.Index(m.places(), m.cursor)
	from = max(0, min(at-room/2, lines-room))
	return from, from + room
}

// places says which step stands in each line of the list; below 0 for the name of
// a track, which stands above the steps of each but the first.
func (m *Model) places() []int {
	var places []int
	for i, s := range m.course.Steps {
		if i > 0 && s.Track != m.course.Steps[i-1].Track {
			places = append(places, -1)
		}
		places = append(places, i)
	}
	return places
}

// rows are all steps by their tracks.
func (m *Model) rows(width int) []string {
	var lines []string
	places := m.places()
	for line, i := range places {
		if i < 0 {
			track := m.course.Steps[places[line+1]].Track
			lines = append(lines, "    "+m.theme.Bold.Render(track.Text().In(m.lang)))
			continue
		}
		lines = append(lines, m.row(m.course.Steps[i], i == m.cursor, width))
	}
	return lines
}

// row is a step in one line.
func (m *Model) row(s standing.Step, selected bool, width int) string {
	points := fmt.Sprintf("–/%d", s.Max())
	if s.Best != nil {
		points = fmt.Sprintf("%d/%d", s.Best.Score, s.Best.Max)
	}
	points, state := text.Right(points, 8), badge.State(m.theme, s, m.lang)
	if what := m.busy[s.ID]; what != "" { // what was known is old
		points, state = m.theme.Faint.Render(points), m.theme.Accent.Render("… "+what)
	}
	name := text.Pad(s.ID[len("step"):]+" "+s.Name, 15)
	cursor, next := "  ", "  "
	if selected {
		cursor, name = m.theme.Selected.Render("▸ "), m.theme.Selected.Render(name)
	}
	if n := m.course.Next(); n != nil && n.ID == s.ID {
		next = m.theme.Accent.Render("→ ")
	}
	line := cursor + next + name + points + "  " + text.Pad(state, max(14, text.Width(state)))
	if room := width - text.Width(line) - 1; room > 20 {
		line += " " + m.theme.Faint.Render(text.Cut(lang.Of(s.Title).In(m.lang), room))
	}
	return line
}

// total is the line about the whole course.
func (m *Model) total(width int) []string {
	lines := []string{m.sum(m.lang.Say("total"), false, width)}
	if m.course.Electives() {
		lines = append(lines, m.sum(m.lang.Say("electives"), true, width))
	}
	lines = append(lines, m.milestones(width)...)
	if m.course.Damaged > 0 {
		lines = append(lines, "", m.theme.Warn.Render("  "+m.lang.Say("%d line(s) of .stubformer/history.jsonl cannot be read and are left out.", m.course.Damaged)))
	}
	return lines
}

// sum is the line about the core or about the electives.
func (m *Model) sum(label string, electives bool, width int) string {
	points, top, passed, steps := m.course.Total(electives)
	words := m.lang.Say("%d of %d steps passed", passed, steps)
	left := "    " + text.Pad(label, 15) + text.Right(fmt.Sprintf("%d/%d", points, top), 8) + "  "
	bar := meter.Bar(m.theme, points, top, max(0, min(30, width-text.Width(left)-text.Width(words)-3)))
	return left + bar + "  " + words
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
	case next.State == standing.InWork || next.State == standing.Broken:
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

// beside puts the description of the step under the cursor beside the list.
func (m *Model) beside(list []string, width int) string {
	list = append(list, m.advice(width)...)
	room := m.width - width - 3
	list = append(list, make([]string, max(0, m.height-len(list)))...) // the line between goes all the way down
	return text.Block(text.Beside(list, m.about(room), width, m.theme.Faint.Render(" │ ")), m.width, m.height)
}

// about describes the step under the cursor.
func (m *Model) about(width int) []string {
	s := m.course.Steps[m.cursor]
	lines := []string{"", m.theme.Bold.Render(s.ID + "  " + lang.Of(s.Title).In(m.lang)), ""}
	entry := func(label, said string) {
		lines = append(lines, text.Entry(m.theme.Faint.Render(label), 14, said, width)...)
	}
	entry(m.lang.Say("lesson"), "steps/"+s.Folder+"/"+m.lang.Say("README.md"))
	for i, name := range s.Files {
		label := ""
		if i == 0 {
			label = m.lang.Say("your code")
		}
		entry(label, "steps/"+s.Folder+"/"+name)
	}
	if len(s.Needs) > 0 {
		entry(m.lang.Say("builds on"), strings.Join(s.Needs, ", "))
	}
	if s.WaitsFor != "" && s.State == standing.Blocked {
		entry("", m.lang.Say("%s has not passed yet. Where the solutions are there you can begin here all the same: the grader puts sound earlier steps under this one.", s.WaitsFor))
	}
	if s.Last != nil {
		entry(m.lang.Say("last attempt"), m.lang.Say("%s, %d/%d, %s", s.Last.Time.Local().Format(m.lang.Say("2 Jan 15:04")), s.Last.Score, s.Last.Max, verdict.Kind(s.Last.Verdict).Text()))
	}
	lines = append(lines, "", m.theme.Faint.Render(m.lang.Say("Checks")))
	for _, c := range s.Checks {
		var kind verdict.Kind
		if s.Last != nil {
			kind = verdict.Kind(s.Last.Checks[c.ID])
		}
		sign, style := badge.Verdict(m.theme, kind)
		if kind == "" {
			sign = "○"
		}
		lines = append(lines, text.Cut(style.Render(sign)+text.Right(fmt.Sprint(c.Points), 4)+"  "+lang.Of(c.Title).In(m.lang), width))
	}
	return lines
}
