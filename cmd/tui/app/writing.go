package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/trainpage"
	"github.com/stubformer/stubformer/cmd/tui/page/writepage"
)

// writing does what the page on which a model writes asks for, and hands it what
// comes of it.
func (m *Model) writing(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case trainpage.Write:
		m.turn(writePage)
		m.write.Open(msg.Run)
		var cmd tea.Cmd
		m.writer, cmd = m.engine.Write(msg.Run, msg.Impl)
		return cmd
	case writepage.Back:
		m.writer.Close()
		m.writer = nil
		m.turn(trainPage)
	case writepage.Ask:
		if m.writer != nil {
			m.writer.Ask(msg.Question)
		}
	case writepage.Next:
		return m.write.Go()
	case engine.WriterReady:
		return m.told(msg.Writer, func() tea.Cmd { return m.write.Begin() })
	case engine.Written:
		return m.told(msg.Writer, func() tea.Cmd { return m.write.SetAnswer(msg.Answer) })
	case engine.WriterEnded:
		if msg.Writer == m.writer && msg.Err != nil {
			m.write.End(m.explain(msg.Err))
		}
	}
	return nil
}

// told hands on what the writer says that is shown, and waits for what it says next.
func (m *Model) told(w *engine.Writer, show func() tea.Cmd) tea.Cmd {
	if w != m.writer {
		return nil
	}
	return tea.Batch(show(), w.Next())
}
