package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/cardpage"
)

// showCard opens the page of what has been built.
func (m *Model) showCard() tea.Cmd {
	m.turn(cardPage)
	return m.engine.Card()
}

// carding does what the page asks for, and hands it what comes of it.
func (m *Model) carding(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case engine.Card:
		m.card.SetCard(msg.Card, msg.Err)
	case cardpage.Save:
		m.news = m.lang.Say("Measuring your matrix product, and drawing …")
		return tea.Sequence(m.engine.SaveCard(), m.engine.Card())
	}
	return nil
}
