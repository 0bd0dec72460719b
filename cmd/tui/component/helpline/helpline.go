// Package helpline writes the keys that do something now in one line.
package helpline

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Line returns the help for the enabled bindings, the first of them that fit in a width; all
// shows the rest, and always fits.
func Line(t theme.Theme, bindings []key.Binding, all key.Binding, width int) string {
	const gap = "   "
	item := func(b key.Binding) string { return t.Bold.Render(b.Help().Key) + " " + t.Faint.Render(b.Help().Desc) }
	var items []string
	last := item(all)
	room := width - text.Width(last)
	for _, b := range bindings {
		if !b.Enabled() || b.Help().Key == "" {
			continue
		}
		next := item(b)
		if room -= text.Width(next + gap); room < 0 {
			break
		}
		items = append(items, next)
	}
	return strings.Join(append(items, last), gap)
}
