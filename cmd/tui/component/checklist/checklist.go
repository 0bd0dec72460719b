// Package checklist is the list of a step's checks: verdict, points and title of
// each, and for the one under the cursor all that is known about how it went.
package checklist

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// KeyMap are the keys of the list.
type KeyMap struct{ Up, Down, Expand, Page key.Binding }

// Keys returns the usual keys, described in the language of p.
func Keys(p lang.Printer) KeyMap {
	return KeyMap{
		Up:     key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑↓", p.Say("check"))),
		Down:   key.NewBinding(key.WithKeys("down", "j")),
		Expand: key.NewBinding(key.WithKeys("enter", " "), key.WithHelp("enter", p.Say("details"))),
		Page:   key.NewBinding(key.WithKeys("pgup", "pgdown", "ctrl+u", "ctrl+d"), key.WithHelp("pgup/pgdn", p.Say("scroll"))),
	}
}

// Item is one check: of the course, with how it went if that is known.
type Item struct {
	ID, Title string
	Max       int
	Verdict   verdict.Kind  // "" if the check has never run
	Result    *report.Check // nil if it has not run in this session
	Cause     *report.Cause // why it did not pass, if that is known
	InPart    bool          // it passed as far as this edition can ask
	Running   bool
	Old       bool     // of a grading before the one that goes on
	Asks      []string // what the check is about
}

// Model is the list.
type Model struct {
	Keys  KeyMap
	theme theme.Theme
	lang  lang.Printer

	items         []Item
	cursor        int
	open          bool // the check under the cursor is expanded
	width, height int
	list          viewport.Model
	detail        viewport.Model // beside the list, in a wide window
}

// New returns an empty list.
func New(t theme.Theme, p lang.Printer) Model {
	return Model{Keys: Keys(p), theme: t, lang: p, list: viewport.New(0, 0), detail: viewport.New(0, 0)}
}

// sideBySide is the width from which the details stand beside the list.
const sideBySide = 110

func (m *Model) wide() bool { return m.width >= sideBySide }

// SetSize sets the room of the list.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Width, m.list.Height = width, height
	if m.wide() {
		m.list.Width = width * 9 / 20
		m.detail.Width, m.detail.Height = width-m.list.Width-3, height
	}
	m.layout()
}

// SetItems shows other checks, or how they went by now.
func (m *Model) SetItems(items []Item) {
	m.items = items
	m.cursor = min(m.cursor, max(0, len(items)-1))
	m.layout()
}

// Select puts the cursor on a check and expands it.
func (m *Model) Select(id string) {
	for i, item := range m.items {
		if item.ID == id {
			m.cursor, m.open = i, true
		}
	}
	m.layout()
}

// Find puts the cursor on the next check whose name or title holds a text in small
// letters, and reports whether there is one.
func (m *Model) Find(text string) bool {
	for i := range m.items {
		at := (m.cursor + 1 + i) % len(m.items)
		if strings.Contains(strings.ToLower(m.items[at].ID+"\n"+m.items[at].Title), text) {
			m.cursor = at
			m.detail.GotoTop()
			m.layout()
			return true
		}
	}
	return false
}

// Selected returns the check under the cursor, or nil.
func (m *Model) Selected() *Item {
	if len(m.items) == 0 {
		return nil
	}
	return &m.items[m.cursor]
}

// Update moves, expands and scrolls.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok || len(m.items) == 0 {
		return nil
	}
	switch {
	case key.Matches(k, m.Keys.Up):
		m.move(-1)
	case key.Matches(k, m.Keys.Down):
		m.move(1)
	case key.Matches(k, m.Keys.Expand):
		m.open = !m.open
	case key.Matches(k, m.Keys.Page):
		var cmd tea.Cmd
		if m.wide() {
			m.detail, cmd = m.detail.Update(msg)
		} else {
			m.list, cmd = m.list.Update(msg)
		}
		return cmd
	}
	m.layout()
	return nil
}

func (m *Model) move(by int) {
	m.cursor = min(max(m.cursor+by, 0), len(m.items)-1)
	m.detail.GotoTop()
}

// layout writes the list anew and keeps the cursor, and what is expanded below
// it, in sight.
func (m *Model) layout() {
	var lines []string
	top, bottom := 0, 0
	for i, item := range m.items {
		if i == m.cursor {
			top = len(lines)
		}
		lines = append(lines, m.row(item, i == m.cursor)...)
		if i == m.cursor && m.open && !m.wide() {
			for _, line := range m.about(item, m.list.Width-4) {
				lines = append(lines, "    "+line)
			}
			lines = append(lines, "")
		}
		if i == m.cursor {
			bottom = len(lines)
		}
	}
	m.list.SetContent(strings.Join(lines, "\n"))
	m.list.SetYOffset(m.list.YOffset) // no further down than there are lines
	if bottom > m.list.YOffset+m.list.Height {
		m.list.SetYOffset(bottom - m.list.Height)
	}
	if top < m.list.YOffset {
		m.list.SetYOffset(top)
	}
	if item := m.Selected(); item != nil && m.wide() {
		about := append(m.title(*item, m.detail.Width), "")
		m.detail.SetContent(strings.Join(append(about, m.about(*item, m.detail.Width)...), "\n"))
		m.detail.SetYOffset(m.detail.YOffset)
	}
}

// row is a check in one line; beside its details its title goes on below.
func (m *Model) row(item Item, selected bool) []string {
	sign, style := badge.Verdict(m.theme, item.Verdict)
	points := fmt.Sprintf("  –/%-3d", item.Max)
	switch {
	case item.Running:
		sign, style = "…", m.theme.Accent
	case item.Verdict == verdict.GraderError: // no zero
	case item.Result != nil:
		points = fmt.Sprintf("%3d/%-3d", item.Result.Points, item.Max)
	case item.Verdict == verdict.Passed:
		points = fmt.Sprintf("%3d/%-3d", item.Max, item.Max)
	case item.Verdict != "":
		points = fmt.Sprintf("%3d/%-3d", 0, item.Max)
	}
	cursor, paint := "  ", lipgloss.NewStyle()
	switch {
	case selected:
		cursor, paint = m.theme.Selected.Render("▸ "), m.theme.Selected
	case item.Old:
		paint = m.theme.Faint
	}
	if item.Old {
		style = m.theme.Faint
	}
	lead := cursor + style.Render(sign+" "+text.Pad(m.words(item), m.column())+" "+points) + "  "
	title := []string{text.Cut(item.Title, m.list.Width-text.Width(lead))}
	if m.wide() {
		title = text.Wrap(item.Title, max(12, m.list.Width-text.Width(lead)))
	}
	lines := make([]string, len(title))
	for i, part := range title {
		lines[i] = lead + paint.Render(part)
		lead = strings.Repeat(" ", text.Width(lead))
	}
	return lines
}

// words say how a check went.
func (m *Model) words(item Item) string {
	switch {
	case item.Running:
		return m.lang.Say("running")
	case item.Verdict == "":
		return m.lang.Say("not run yet")
	}
	went := report.Check{Verdict: item.Verdict, InPart: item.InPart}
	return went.Words().In(m.lang)
}

// column is the width of the widest of these words.
func (m *Model) column() int {
	most := 0
	for _, item := range m.items {
		most = max(most, text.Width(m.words(item)))
	}
	return most
}

// about is what stands below or beside a check.
func (m *Model) about(item Item, width int) []string {
	switch {
	case item.Running:
		return text.Wrap(m.lang.Say("It is running now. A call may take %d seconds; X cancels the grading.", int(probe.DefaultLimits().Call.Seconds())), width)
	case item.Result != nil && item.Verdict == verdict.Passed:
		return append(m.whole(item, width), m.passed(item, width)...)
	case item.Result != nil:
		return append(m.whole(item, width), Detail(m.theme, m.lang, item, width, m.height)...)
	case item.InPart:
		return text.Wrap(course.AsFarAsAsked().In(m.lang), width)
	case item.Verdict != "":
		return text.Wrap(m.lang.Say("That was the last recorded attempt. Press r to grade again and see what came back, what was wanted and why."), width)
	}
	return text.Wrap(m.lang.Say("This check has not run yet. Save a file of the step, or press r, to grade it."), width)
}

// whole is the title of a check where its row had to cut it.
func (m *Model) whole(item Item, width int) []string {
	if m.wide() || text.Width(item.Title) <= m.list.Width-13-m.column() {
		return nil
	}
	title := m.title(item, width)
	if m.height < tight {
		return title
	}
	return append(title, "")
}

// title is the title of a check in as many lines as it takes.
func (m *Model) title(item Item, width int) []string {
	lines := text.Wrap(item.Title, width)
	for i, line := range lines {
		lines[i] = m.theme.Bold.Render(line)
	}
	return lines
}

// passed is what there is to say about a check that passed.
func (m *Model) passed(item Item, width int) []string {
	lines := []string{m.theme.Good.Render(m.lang.Say("It passed in %.2f s.", item.Result.Seconds))}
	if item.InPart {
		lines = append(lines, text.Wrap(course.AsFarAsAsked().In(m.lang), width)...)
	}
	if !m.wide() {
		return lines
	}
	for i, asked := range item.Asks {
		if i == 0 {
			lines = append(lines, "", m.theme.Faint.Render(m.lang.Say("What was asked")))
		}
		lines = append(lines, text.Wrap(asked, width)...)
	}
	return lines
}

// More reports whether there is more below than there is room for.
func (m *Model) More() bool {
	if m.wide() {
		return !m.detail.AtBottom()
	}
	return !m.list.AtBottom()
}

// View draws the list, and the details beside it if there is room.
func (m *Model) View() string {
	if !m.wide() {
		return m.list.View()
	}
	left, right := strings.Split(m.list.View(), "\n"), strings.Split(m.detail.View(), "\n")
	return strings.Join(text.Beside(left, right, m.list.Width, m.theme.Faint.Render(" │ ")), "\n")
}
