// Package plotpage shows the pictures of the course in the terminal.
package plotpage

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/component/chart"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	data "github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// What the page asks for. Run is the folder of a training run, or "".
type (
	Back struct{}
	Draw struct{ Name, Run, Impl string }
	Save struct{ Name, Run, Impl string }
)

// KeyMap are the keys of the page.
type KeyMap struct{ Back, Prev, Next, Run, Impl, Save, Scroll key.Binding }

// Model is the page.
type Model struct {
	Keys    KeyMap
	theme   theme.Theme
	lang    lang.Printer
	figures []figure.Info
	cursor  int
	runs    []runs.Run
	run     int // of the runs
	impl    string
	chart   *data.Chart // nil: being made, or it cannot be made
	trouble string
	scroll  viewport.Model

	width, height int
}

// New returns the page. It speaks the language of p; solutions tells whether the
// kit holds solutions.
func New(t theme.Theme, p lang.Printer, solutions bool) Model {
	m := Model{theme: t, lang: p, impl: "mine", scroll: viewport.New(0, 0),
		Keys: KeyMap{
			Back:   key.NewBinding(key.WithKeys("esc", "backspace"), key.WithHelp("esc", p.Say("map"))),
			Prev:   key.NewBinding(key.WithKeys("left", "shift+tab")),
			Next:   key.NewBinding(key.WithKeys("right", "tab"), key.WithHelp("←→", p.Say("picture"))),
			Run:    key.NewBinding(key.WithKeys("o"), key.WithHelp("o", p.Say("run"))),
			Impl:   key.NewBinding(key.WithKeys("i"), key.WithHelp("i", p.Say("whose code"))),
			Save:   key.NewBinding(key.WithKeys("s"), key.WithHelp("s", p.Say("save PNG and SVG"))),
			Scroll: key.NewBinding(key.WithKeys("up", "down", "pgup", "pgdown"), key.WithHelp("↑↓", p.Say("scroll"))),
		}}
	for _, f := range figure.List() {
		if !f.Needs.File && !f.Needs.Recalls { // those are for papers: `grade plot` makes them
			m.figures = append(m.figures, f)
		}
	}
	m.Keys.Impl.SetEnabled(solutions)
	return m
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.fill()
}

// SetRuns tells which runs there are, and asks for the picture.
func (m *Model) SetRuns(all []runs.Run) tea.Cmd {
	m.runs, m.run = all, min(m.run, max(0, len(all)-1))
	return m.draw()
}

// SetChart shows a picture, if it is the one that is wanted.
func (m *Model) SetChart(name string, c *data.Chart, err error) {
	if name != m.figures[m.cursor].Name {
		return
	}
	m.chart, m.trouble = c, ""
	if err != nil {
		m.trouble = m.lang.Error(err)
	}
	m.fill()
}

// Live reports whether the picture follows a training that runs: what a program has to be
// built and run for does not.
func (m *Model) Live() bool {
	needs := m.figures[m.cursor].Needs
	return needs.Runs && !needs.Code
}

// Wanted is the picture that is shown.
func (m *Model) Wanted() Draw {
	f := m.figures[m.cursor]
	d := Draw{Name: f.Name, Impl: m.impl}
	if (f.Needs.Runs || f.Needs.Model) && len(m.runs) > 0 {
		d.Run = m.runs[m.run].Dir
	}
	return d
}

// draw asks for the picture under the cursor.
func (m *Model) draw() tea.Cmd {
	m.chart, m.trouble = nil, ""
	m.scroll.GotoTop()
	m.fill()
	f := m.figures[m.cursor]
	if (f.Needs.Runs || f.Needs.Model) && len(m.runs) == 0 {
		m.trouble = m.lang.Say("This picture shows a training run, and there is none yet. Go back with esc and press t to train a model; less than a minute is enough.")
		m.fill()
		return nil
	}
	want := m.Wanted()
	return func() tea.Msg { return want }
}

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding {
	keys := []key.Binding{m.Keys.Back, m.Keys.Next, m.Keys.Scroll}
	needs := m.figures[m.cursor].Needs
	if (needs.Runs || needs.Model) && len(m.runs) > 1 {
		keys = append(keys, m.Keys.Run)
	}
	if needs.Code || needs.Model {
		keys = append(keys, m.Keys.Impl)
	}
	if m.chart != nil {
		keys = append(keys, m.Keys.Save)
	}
	return keys
}

// Update chooses the picture and what it is made of.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	n := len(m.figures)
	switch {
	case key.Matches(k, m.Keys.Back):
		return func() tea.Msg { return Back{} }
	case key.Matches(k, m.Keys.Next):
		m.cursor = (m.cursor + 1) % n
		return m.draw()
	case key.Matches(k, m.Keys.Prev):
		m.cursor = (m.cursor + n - 1) % n
		return m.draw()
	case key.Matches(k, m.Keys.Run) && len(m.runs) > 1:
		m.run = (m.run + 1) % len(m.runs)
		return m.draw()
	case key.Matches(k, m.Keys.Impl):
		if m.impl == "mine" {
			m.impl = "solutions"
		} else {
			m.impl = "mine"
		}
		return m.draw()
	case key.Matches(k, m.Keys.Save) && m.chart != nil:
		want := Save(m.Wanted())
		return func() tea.Msg { return want }
	case key.Matches(k, m.Keys.Scroll):
		var cmd tea.Cmd
		m.scroll, cmd = m.scroll.Update(msg)
		return cmd
	}
	return nil
}

// names is the row of all pictures, in as many lines as it takes.
func (m *Model) names() []string {
	var lines []string
	line := ""
	for i, f := range m.figures {
		name := m.theme.Faint.Render(" " + f.Name + " ")
		if i == m.cursor {
			name = m.theme.Selected.Render("[" + f.Name + "]")
		}
		if text.Width(line)+text.Width(name) > m.width {
			lines, line = append(lines, line), ""
		}
		line += name
	}
	return append(lines, line)
}

// fill draws the picture into the room that the page has for it.
func (m *Model) fill() {
	m.scroll.Width, m.scroll.Height = m.width, max(0, m.height-len(m.names())-2)
	f := m.figures[m.cursor]
	lines := text.Wrap(m.trouble, min(m.width, 100))
	switch {
	case m.trouble != "":
		if f.Needs.Code && m.impl == "mine" && m.Keys.Impl.Enabled() && (!f.Needs.Model && !f.Needs.Runs || len(m.runs) > 0) {
			lines = append(lines, "", m.theme.Faint.Render(m.lang.Say("With i you see it made by the solutions.")))
		}
	case m.chart == nil:
		lines = []string{m.lang.Say("Making the picture …")}
	default:
		lines = chart.Lines(m.theme, m.chart, m.width, m.scroll.Height)
	}
	m.scroll.SetContent(strings.Join(lines, "\n"))
	m.scroll.SetYOffset(m.scroll.YOffset) // no further down than there are lines
}

// View draws the page.
func (m *Model) View() string {
	f, want := m.figures[m.cursor], m.Wanted()
	of := ""
	switch {
	case f.Needs.Code && m.impl == "solutions":
		of = m.lang.Say("  (the solutions)")
	case f.Needs.Code:
		of = m.lang.Say("  (your code)")
	case want.Run != "":
		of = m.lang.Say("  (%s)", want.Run)
	}
	lines := append(m.names(), m.theme.Faint.Render(text.Cut(f.Shows.In(m.lang)+of, m.width)), "")
	return text.Block(append(lines, strings.Split(m.scroll.View(), "\n")...), m.width, m.height)
}
