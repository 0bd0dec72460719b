package chart

import (
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/figure/chart"
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
		style, sign := t.Line(0), "█"
		if b.Weak {
			style, sign = t.Faint, "▒"
		}
		bar := style.Render(strings.Repeat(sign, max(1, int(math.Round(at*float64(room))))))
		lines = append(lines, text.Pad(b.Label, label)+"  "+bar+" "+b.Text)
	}
	lines = append(lines, strings.Repeat(" ", label+2)+t.Faint.Render(ticks(s, room)))
	return append(lines, strings.Repeat(" ", label+2)+t.Faint.Render(p.X.Label))
}

// shades are the five steps of a heat map, the lowest first. In colour they go
// from dark to light through the hues of viridis, which stay apart for every
// kind of colour vision.
func shades() []struct{ sign, colour string } {
	return []struct{ sign, colour string }{{"·", "#440154"}, {"░", "#3b528b"}, {"▒", "#21918c"}, {"▓", "#5ec962"}, {"█", "#fde725"}}
}

// heat draws a matrix in shaded cells.
func heat(t theme.Theme, p chart.Panel, width, height int) []string {
	h := p.Heat
	if len(h.Values) == 0 || len(h.Values[0]) == 0 {
		return nil
	}
	low, high := h.Range()
	rows, cols := len(h.Values), len(h.Values[0])
	label := 0
	for _, name := range h.Rows {
		label = max(label, text.Width(name))
	}
	label = min(label, width/4)
	wide := min(3, max(1, (width-label-1)/cols))
	perCol := (cols*wide + width - label - 2) / max(1, width-label-1)
	most := max(height-6, 36) // rows; a taller picture is scrolled
	perRow := (rows + most - 1) / most
	lines := []string{t.Faint.Render(text.Cut(p.Y.Label, width))}
	for r := 0; r < rows; r += perRow {
		name := ""
		if r < len(h.Rows) {
			name = h.Rows[r]
		}
		var b strings.Builder
		b.WriteString(t.Faint.Render(text.Right(name, label)) + " ")
		for c := 0; c < cols; c += perCol {
			b.WriteString(cell(t, h.Values[r][c], low, high, wide))
		}
		lines = append(lines, b.String())
	}
	lines = append(lines, strings.Repeat(" ", label+1)+t.Faint.Render(columns(h, perCol, wide, width-label-1)))
	lines = append(lines, strings.Repeat(" ", label+1)+t.Faint.Render(text.Cut(p.X.Label, width-label-1)))
	return append(lines, scaleLine(t, h, low, high, width)...)
}

func cell(t theme.Theme, v, low, high float64, wide int) string {
	if math.IsNaN(v) {
		return strings.Repeat(" ", wide)
	}
	all := shades()
	i := 0
	if high > low {
		i = min(max(int((v-low)/(high-low)*float64(len(all))), 0), len(all)-1)
	}
	sign := strings.Repeat(all[i].sign, wide)
	if !t.Colour {
		return sign
	}
	return t.Bold.UnsetBold().Foreground(lipgloss.Color(all[i].colour)).Render(sign)
}

// columns writes the names of the columns as far as they fit.
func columns(h *chart.Heat, perCol, wide, width int) string {
	line, free := newRuler(width), 0
	for c := 0; c < len(h.Cols); c += perCol {
		name := text.Width(h.Cols[c])
		begin := c / perCol * wide
		if begin < free || begin+name > len(line) {
			continue
		}
		line.put(begin, h.Cols[c])
		free = begin + name + 1
		if wide >= 2 && name < wide {
			free = begin + wide
		}
	}
	return line.String()
}

// scaleLine says what the shades stand for.
func scaleLine(t theme.Theme, h *chart.Heat, low, high float64, width int) []string {
	items := []string{h.Label + ":"}
	all := shades()
	for i := range all {
		from := low + (high-low)*float64(i)/float64(len(all))
		to := low + (high-low)*float64(i+1)/float64(len(all))
		items = append(items, cell(t, (from+to)/2, low, high, 2)+fmt.Sprintf(" %.3g–%.3g", from, to))
	}
	return text.Flow(items, width)
}
