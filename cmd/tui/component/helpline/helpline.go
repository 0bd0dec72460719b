// Package helpline writes every key that does something now, in as many lines
// as that takes: nothing is left out, whatever the width.
package helpline

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Lines returns the help for the enabled bindings, wrapped to a width.
func Lines(t theme.Theme, bindings []key.Binding, width int) []string {
	const gap = "   "
	var lines []string
	line := ""
	for _, b := range bindings {
		h := b.Help()
		if !b.Enabled() || h.Key == "" {
			continue
		}
		item := t.Bold.Render(h.Key) + " " + t.Faint.Render(h.Desc)
		switch {
		case line == "":
			line = item
		case text.Width(line)+len(gap)+text.Width(item) <= width:
			line += gap + item
		default:
			lines, line = append(lines, line), item
		}
	}
	return append(lines, line)
}
