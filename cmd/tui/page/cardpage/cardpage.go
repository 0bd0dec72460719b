// Package cardpage shows what a student has built, on one page, and what can be
// done next.
package cardpage

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	chartview "github.com/stubformer/stubformer/cmd/tui/component/chart"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// What the page asks for.
type (
	Back struct{} // leave the page
	Save struct{} // write the card as SVG and PNG
)

// KeyMap are the keys of the page.
type KeyMap struct{ Back, Save key.Binding }

// Model is the page.
type Model struct {
	Keys  KeyMap
	theme theme.Theme
	lang  lang.Printer
	card  card.Card
	err   error

	width, height int
}

// New returns the page. It speaks the language of p.
func New(t theme.Theme, p lang.Printer) Model {
	return Model{theme: t, lang: p, Keys: KeyMap{
		Back: key.NewBinding(key.WithKeys("esc", "backspace"), key.WithHelp("esc", p.Say("map"))),
		Save: key.NewBinding(key.WithKeys("s"), key.WithHelp("s", p.Say("measure and save"))),
	}}
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) { m.width, m.height = width, height }

// SetCard shows a card, or why there is none.
func (m *Model) SetCard(c card.Card, err error) { m.card, m.err = c, err }

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding { return []key.Binding{m.Keys.Back, m.Keys.Save} }

// Update leaves the page or saves the card.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	switch {
	case ok && key.Matches(k, m.Keys.Back):
		return func() tea.Msg { return Back{} }
	case ok && key.Matches(k, m.Keys.Save):
		return func() tea.Msg { return Save{} }
	}
	return nil
}

// View draws the page.
func (m *Model) View() string {
	title := m.lang.Say("I am building a language model")
	if passed, of := m.card.Core(); passed == of && of > 0 {
		title = m.lang.Say("I built a language model")
	}
	lines := []string{m.theme.Bold.Render(title), ""}
	if m.err != nil {
		return text.Block(append(lines, text.Wrap(m.lang.Error(m.err), m.width)...), m.width, m.height)
	}
	lines = append(append(lines, m.steps()...), "")
	lines = append(append(lines, m.numbers()...), "")
	lines = append(lines, m.wrote()...)
	next := m.next()
	const leastChart = 9
	if room := m.height - len(lines) - len(next); room >= leastChart && len(m.card.Curves) > 0 {
		lines = append(lines, chartview.Lines(m.theme, m.chart(), m.width, room-1)...)
		lines = append(lines[:min(len(lines), m.height-len(next)-1)], "")
	}
	return text.Block(append(lines, next...), m.width, m.height)
}

// steps are the steps side by side.
func (m *Model) steps() []string {
	var items []string
	for _, s := range m.card.Steps {
		sign, style := "○", m.theme.Faint
		if s.Passed {
			sign, style = "✓", m.theme.Good
		}
		items = append(items, style.Render(text.Pad(sign+" "+s.Number+" "+s.Name, 17)))
	}
	return text.Flow(items, m.width)
}

// numbers are what can be counted.
func (m *Model) numbers() []string {
	var items []string
	if m.card.Model != "" {
		items = append(items, m.lang.Say("loss %.4f", m.card.Loss))
	}
	if m.card.Floor > 0 {
		items = append(items, m.lang.Say("floor %.4f", m.card.Floor))
	}
	if m.card.TokensPerSecond > 0 {
		items = append(items, m.lang.Say("%.0f tokens a second, learning", m.card.TokensPerSecond))
	}
	if m.card.Times > 0 {
		items = append(items, m.lang.Say("%.0f× faster than three loops", m.card.Times))
	}
	return text.Flow(items, m.width)
}

// wrote is the sentence.
func (m *Model) wrote() []string {
	if m.card.Sentence == "" {
		return append(text.Wrap(m.lang.Say("It has not written anything yet."), m.width), "")
	}
	lines := text.Wrap("“"+m.card.Sentence+"”", m.width)
	return append(lines, m.theme.Faint.Render(text.Cut(m.card.Byline().In(m.lang), m.width)), "")
}

// next is what can be done next.
func (m *Model) next() []string {
	lines := []string{m.theme.Bold.Render(m.lang.Say("What next"))}
	for _, next := range card.Next() {
		lines = append(lines, text.Entry("  •", 4, next.In(m.lang), m.width)...)
	}
	return lines
}

// chart is how the loss fell.
func (m *Model) chart() *chart.Chart {
	panel := chart.Panel{X: chart.Axis{Label: m.lang.Say("optimisation step")}, Y: chart.Axis{Label: m.lang.Say("loss"), Log: true}}
	for i, c := range m.card.Curves {
		panel.Lines = append(panel.Lines, chart.Line{Name: c.Name, X: c.X, Y: c.Y, Faint: c.Name == "" && i < len(m.card.Curves)-1})
	}
	if m.card.Floor > 0 {
		panel.Marks = []chart.Mark{{Label: strings.TrimSpace(fmt.Sprintf("%s %.4f", m.lang.Say("floor"), m.card.Floor)), At: m.card.Floor}}
	}
	return &chart.Chart{Name: "card", Columns: 1, Panels: []chart.Panel{panel}}
}
