package steppage

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// Typing reports whether keys are letters of what is looked for.
func (m *Model) Typing() bool { return m.typing }

// typed takes a key of what is looked for.
func (m *Model) typed(k tea.KeyMsg) {
	switch k.Type {
	case tea.KeyEnter:
		m.typing = false
		m.find()
	case tea.KeyEsc, tea.KeyCtrlC:
		m.typing, m.query = false, ""
	case tea.KeyBackspace:
		if all := []rune(m.query); len(all) > 0 {
			m.query = string(all[:len(all)-1])
		}
	case tea.KeyRunes, tea.KeySpace:
		m.query += string(k.Runes)
	}
}

// find goes to the next line, or the next check, that holds what is looked for;
// behind the last, to the first.
func (m *Model) find() {
	query := strings.ToLower(m.query)
	if query == "" {
		return
	}
	if m.tabs.Active == ChecksTab {
		m.missing = !m.checks.Find(query)
		return
	}
	lines := strings.Split(ansi.Strip(m.content), "\n")
	for i := range lines {
		at := (m.found + 1 + i) % len(lines)
		if strings.Contains(strings.ToLower(lines[at]), query) {
			m.found, m.missing = at, false
			m.scroll.SetYOffset(max(0, at-2))
			return
		}
	}
	m.missing = true
}

// asked is the line that shows what is looked for, or "".
func (m *Model) asked() string {
	switch {
	case m.typing:
		return m.theme.Accent.Render("/" + m.query + "▏")
	case m.query != "" && m.missing:
		return m.theme.Warn.Render(m.lang.Say("%q is nowhere here", m.query))
	}
	return ""
}
