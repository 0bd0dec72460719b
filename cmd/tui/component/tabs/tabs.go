// Package tabs is a row of titles, one of which is chosen.
package tabs

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Model is a row of tabs.
type Model struct {
	Titles []string
	Active int
}

// Move chooses the tab that is by further on, around the ends.
func (m *Model) Move(by int) { m.Active = (m.Active + by + len(m.Titles)) % len(m.Titles) }

// View draws the tabs in one line. The chosen one stands in brackets.
func (m Model) View(t theme.Theme) string {
	var b strings.Builder
	for i, title := range m.Titles {
		name := fmt.Sprintf("%d %s", i+1, title)
		if i == m.Active {
			b.WriteString(t.Selected.Render("[" + name + "]"))
		} else {
			b.WriteString(t.Faint.Render(" " + name + " "))
		}
		b.WriteString(" ")
	}
	return strings.TrimRight(b.String(), " ")
}
