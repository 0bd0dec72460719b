package app

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/plotpage"
)

// again is how often the picture of a run is made anew while it is shown: the
// run may be going on, here or elsewhere.
const again = time.Second

// picture does what the page of pictures asks for, and hands it what comes of
// it.
func (m *Model) picture(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case plotpage.Draw:
		m.stopDrawing()
		m.drawing, m.stopDrawing = m.engine.Context()
		return m.engine.Figure(m.drawing, engine.Asked(msg), m.lang, 0)
	case engine.Drawn:
		if m.page != plotPage || msg.Asked != engine.Asked(m.plots.Wanted()) {
			return nil
		}
		m.plots.SetChart(msg.Asked.Name, msg.Chart, msg.Err)
		if m.plots.Live() {
			return m.engine.Figure(m.drawing, msg.Asked, m.lang, again)
		}
	case plotpage.Save:
		m.news = m.lang.Say("Writing the picture …")
		return m.engine.Save(engine.Asked(msg))
	case engine.Saved:
		m.news = m.lang.Say("Written: %s", strings.Join(msg.Files, ", "))
		if msg.Err != nil {
			m.news = m.lang.Say("The picture cannot be written: %v", msg.Err)
		}
	}
	return nil
}

// showPlots opens the page of pictures.
func (m *Model) showPlots() tea.Cmd {
	m.turn(plotPage)
	return m.engine.Runs()
}
