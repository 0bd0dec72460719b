// Package coursemap is the map of the course: every step with its score and
// state, the total, and what to do next.
package coursemap

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
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
		Open: key.NewBinding(key.WithKeys("enter", " "), key.WithHelp("enter", p.Say("read"))),
		Next: key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab", p.Say("next step"))),
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
