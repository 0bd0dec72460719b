package chart

import (
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// bars draws values with names, one below the other.
func bars(t theme.Theme, p chart.Panel, width int) []string {
	label, value := 0, 0
	values := []float64{0}
	for _, b := range p.Bars {
		label, value = max(label, text.Width(b.Label)), max(value, text.Width(b.Text))
		values = append(values, b.Value)
	}
	label = min(label, width/3)
	room := max(4, width-label-value-3)
	s := newScale(p.X, values, room/12)
	var lines []string
	for _, b := range p.Bars {
		at, _ := s.at(b.Value)
		style, bar := t.Line(0), lang.Bar(at, room)
		if b.Weak {
			style, bar = t.Faint, strings.ReplaceAll(bar, "█", "▒")
		}
		lines = append(lines, text.Pad(b.Label, label)+"  "+style.Render(bar)+" "+b.Text)
	}
	lines = append(lines, strings.Repeat(" ", label+2)+t.Faint.Render(ticks(s, room)))
	return append(lines, strings.Repeat(" ", label+2)+t.Faint.Render(p.X.Label))
}
