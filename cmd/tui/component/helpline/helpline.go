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
	var items []string
	for _, b := range bindings {
		if h := b.Help(); b.Enabled() && h.Key != "" {
			items = append(items, t.Bold.Render(h.Key)+" "+t.Faint.Render(h.Desc))
		}
	}
	return text.Flow(items, width)
}
