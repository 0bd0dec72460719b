// Package shades draws the heat map of a chart in a terminal, in cells of colour or of grey.
package shades

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// The colours of a heat map, the lowest first. One goes from dark to light through
// the hues of viridis, the other, for values of both signs, from blue through
// white to red: both stay apart for every kind of colour vision.
const (
	viridis   = "440154 3b528b 21918c 5ec962 fde725"
	bothSigns = "2166ac 92c5de f7f7f7 f4a582 b2182b"
)

// greys are the five steps of a heat map where there are no colours, the lowest
// first.
const greys = "·░▒▓█"

// matrix is a heat map that is being drawn.
type matrix struct {
	*chart.Heat
	theme     theme.Theme
	low, high float64
	perRow    int // rows of the matrix of which one is drawn
	perCol    int
	wide      int // characters of a cell
}

// Lines draws the matrix of a panel in cells of colour, or of grey. Where there is colour, a line
// holds two rows if there is no room for a line each. It takes at most width cells and about height lines.
func Lines(t theme.Theme, p chart.Panel, width, height int) []string {
	h := p.Heat
	if len(h.Values) == 0 || len(h.Values[0]) == 0 {
		return nil
	}
	m := matrix{Heat: h, theme: t}
	m.low, m.high = h.Range()
	label := 0
	for _, name := range h.Rows {
		label = max(label, text.Width(name))
	}
	label = min(label, width/4)
	rows, cols, room := len(h.Values), len(h.Values[0]), max(1, width-label-1)
	m.wide = min(3, max(1, room/cols))
	m.perCol = (cols*m.wide + room - 1) / room
	most := max(height-4, 20) // lines; a taller picture is scrolled
	halves := t.Shades && rows > most
	if halves {
		m.wide, most = min(m.wide, 1), 2*most
		m.perCol = (cols + room - 1) / room
	}
	m.perRow = (rows + most - 1) / most
	lines := []string{t.Faint.Render(text.Cut(p.Y.Label, width))}
	for r := 0; r < rows; r += m.perRow {
		name := ""
		if r < len(h.Rows) {
			name = h.Rows[r]
		}
		lead := t.Faint.Render(text.Right(name, label)) + " "
		if halves {
			lines = append(lines, lead+m.twoRows(r))
			r += m.perRow
			continue
		}
		lines = append(lines, lead+m.row(r))
	}
	lines = append(lines, strings.Repeat(" ", label+1)+t.Faint.Render(columns(h, m.perCol, m.wide, room)))
	lines = append(lines, strings.Repeat(" ", label+1)+t.Faint.Render(text.Cut(p.X.Label, room)))
	return append(lines, m.scale(width))
}

// row draws a row of the matrix in a line.
func (m matrix) row(r int) string {
	var b strings.Builder
	for c := 0; c < len(m.Values[r]); c += m.perCol {
		b.WriteString(m.cell(m.Values[r][c], m.wide))
	}
	return b.String()
}

// twoRows draws a row of the matrix in the upper half of a line, and the next that
// is drawn in the lower.
func (m matrix) twoRows(r int) string {
	var b strings.Builder
	for c := 0; c < len(m.Values[r]); c += m.perCol {
		style := m.theme.Bold.UnsetBold()
		above, below := m.Values[r][c], math.NaN()
		if r+m.perRow < len(m.Values) {
			below = m.Values[r+m.perRow][c]
		}
		sign := "▀"
		switch {
		case math.IsNaN(above) && math.IsNaN(below):
			sign = " "
		case math.IsNaN(above):
			style, sign = style.Foreground(m.colour(below)), "▄"
		case math.IsNaN(below):
			style = style.Foreground(m.colour(above))
		default:
			style = style.Foreground(m.colour(above)).Background(m.colour(below))
		}
		b.WriteString(style.Render(sign))
	}
	return b.String()
}

// cell draws a value, so many characters wide.
func (m matrix) cell(v float64, wide int) string {
	switch {
	case math.IsNaN(v):
		return strings.Repeat(" ", wide)
	case m.theme.Shades:
		return m.theme.Bold.UnsetBold().Foreground(m.colour(v)).Render(strings.Repeat("█", wide))
	}
	all := []rune(greys)
	return strings.Repeat(string(all[min(int(m.share(v)*float64(len(all))), len(all)-1)]), wide)
}

// share is where a value lies between the ends of the scale, from 0 to 1.
func (m matrix) share(v float64) float64 {
	if !(m.low < m.high) {
		return 0
	}
	return min(max((v-m.low)/(m.high-m.low), 0), 1)
}

// colour is that of a value, between the two colours that are nearest.
func (m matrix) colour(v float64) lipgloss.Color {
	names := strings.Fields(viridis)
	if m.Signed {
		names = strings.Fields(bothSigns)
	}
	at := m.share(v) * float64(len(names)-1)
	i := min(int(at), len(names)-2)
	var mixed [3]int
	for k := range mixed {
		var from, to int
		fmt.Sscanf(names[i][2*k:2*k+2], "%x", &from)
		fmt.Sscanf(names[i+1][2*k:2*k+2], "%x", &to)
		mixed[k] = from + int(math.Round((at-float64(i))*float64(to-from)))
	}
	return lipgloss.Color(fmt.Sprintf("#%02x%02x%02x", mixed[0], mixed[1], mixed[2]))
}

// columns writes the names of the columns as far as they fit. Names of one cell each, such
// as the letters of a text, may touch.
func columns(h *chart.Heat, perCol, wide, width int) string {
	line, free := text.NewRuler(width), 0
	letters := !slices.ContainsFunc(h.Cols, func(name string) bool { return text.Width(name) > 1 })
	for c := 0; c < len(h.Cols); c += perCol {
		name := text.Width(h.Cols[c])
		begin := c / perCol * wide
		if begin < free || begin+name > len(line) {
			continue
		}
		line.Put(begin, h.Cols[c])
		free = begin + name + 1
		if letters || wide >= 2 && name < wide {
			free = begin + wide
		}
	}
	return line.String()
}

// scale says what the colours stand for: the ends of the scale with what lies
// between them.
func (m matrix) scale(width int) string {
	const steps = 20
	var bar strings.Builder
	for i := range steps {
		bar.WriteString(m.cell(m.low+(m.high-m.low)*(float64(i)+0.5)/steps, 1))
	}
	return text.Cut(fmt.Sprintf("%s: %.3g %s %.3g", m.Label, m.low, bar.String(), m.high), width)
}
