// Package chart draws a chart.Chart in a terminal: lines in braille, bars and
// heat maps in blocks. Every line has a letter at its end and in the legend, so
// that no colour is needed to tell the lines apart.
package chart

import (
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/shades"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// The least room in which a panel can be read.
const (
	leastWidth  = 36
	leastHeight = 9
)

// Lines draws a chart in lines of at most width cells. It takes about height
// lines, and more if its panels need them.
func Lines(t theme.Theme, c *chart.Chart, width, height int) []string {
	var lines []string
	for _, line := range text.Wrap(c.Title, width) {
		lines = append(lines, t.Bold.Render(line))
	}
	for _, line := range text.Wrap(c.Subtitle, width) {
		lines = append(lines, t.Faint.Render(line))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	const gap = 3
	columns := min(max(c.Columns, 1), max(1, (width+gap)/(leastWidth+gap)))
	rows := (len(c.Panels) + columns - 1) / columns
	each := (width - gap*(columns-1)) / columns
	tall := max(leastHeight, (height-len(lines))/max(1, rows))
	for row := range rows {
		panels := c.Panels[row*columns : min((row+1)*columns, len(c.Panels))]
		drawn := panel(t, panels[0], each, tall)
		for i, p := range panels[1:] {
			drawn = text.Beside(drawn, panel(t, p, each, tall), each+i*(each+gap), strings.Repeat(" ", gap))
		}
		lines = append(lines, drawn...)
	}
	return lines
}

// panel draws one panel.
func panel(t theme.Theme, p chart.Panel, width, height int) []string {
	var lines []string
	if p.Title != "" {
		lines = append(lines, t.Bold.Render(text.Cut(p.Title, width)))
	}
	room := height - len(lines)
	switch {
	case p.Heat != nil:
		return append(lines, shades.Lines(t, p, width, room)...)
	case len(p.Bars) > 0:
		return append(lines, bars(t, p, width)...)
	}
	return append(lines, curves(t, p, width, room)...)
}
