package chart

import (
	"fmt"
	"strings"
)

// Description says what is to be seen, for those who hear a picture: of every panel its
// axes and what is drawn against them.
func (c *Chart) Description() string {
	var all []string
	if c.Subtitle != "" {
		all = append(all, c.Subtitle)
	}
	for _, p := range c.Panels {
		all = append(all, p.description())
	}
	return strings.Join(all, ". ")
}

func (p *Panel) description() string {
	text := fmt.Sprintf("%s against %s", p.Y.Label, p.X.Label)
	switch {
	case p.Heat != nil:
		text = fmt.Sprintf("%d rows and %d columns of colours, %s by %s", len(p.Heat.Values), columns(p.Heat.Values), p.Y.Label, p.X.Label)
	case len(p.Bars) > 0:
		text = "bars of " + p.X.Label
	}
	if p.Title != "" {
		text = p.Title + ": " + text
	}
	if names := p.names(); len(names) > 0 {
		text += "; " + strings.Join(names, ", ")
	}
	return text
}

// names are those of what a panel shows, in the order of its legend.
func (p *Panel) names() []string {
	var all []string
	add := func(name string) {
		if name != "" {
			all = append(all, name)
		}
	}
	for _, l := range p.Lines {
		add(l.Name)
	}
	for _, h := range p.Histograms {
		add(h.Name)
	}
	for _, b := range p.Bars {
		add(strings.TrimSpace(b.Label + " " + b.Text))
	}
	for _, m := range p.Marks {
		add(m.Label)
	}
	return all
}

// columns returns the width of a matrix.
func columns(rows [][]float64) int {
	if len(rows) == 0 {
		return 0
	}
	return len(rows[0])
}
