// Package tabs is a row of titles, one of which is chosen.
package tabs

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Model is a row of tabs.
type Model struct {
	Titles []string
	Active int
}

// Move chooses the tab that is by further on, around the ends.
func (m *Model) Move(by int) { m.Active = (m.Active + by + len(m.Titles)) % len(m.Titles) }

// At returns the tab that stands in a column of the line, or -1.
func (m Model) At(column int) int {
	end := 0
	for i, title := range m.Titles {
		end += text.Width(label(i, title)) + 3 // brackets, and the space behind
		if column < end-1 {
			return i
		}
	}
	return -1
}

func label(i int, title string) string { return fmt.Sprintf("%d %s", i+1, title) }

// View draws the tabs in one line. The chosen one stands in brackets.
func (m Model) View(t theme.Theme) string {
	var b strings.Builder
	for i, title := range m.Titles {
		name := label(i, title)
		if i == m.Active {
			b.WriteString(t.Selected.Render("[" + name + "]"))
		} else {
			b.WriteString(t.Faint.Render(" " + name + " "))
		}
		b.WriteString(" ")
	}
	return strings.TrimRight(b.String(), " ")
}
