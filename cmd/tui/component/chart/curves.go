package chart

import (
	"fmt"
	"math"
	"strings"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// plot is a panel of lines that is being drawn.
type plot struct {
	theme  theme.Theme
	x, y   scale
	canvas canvas.Model
	ends   map[canvas.Point]bool // where letters stand
}

// letter is what stands at the end of the i-th line and in the legend.
func letter(i int) rune { return rune('A' + i%26) }

// curves draws lines, histograms and marks.
func curves(t theme.Theme, p chart.Panel, width, height int) []string {
	lines := series(p)
	var xs, ys []float64
	for _, l := range lines {
		xs, ys = append(xs, l.X...), append(ys, l.Y...)
	}
	for _, m := range p.Marks {
		if m.Vertical {
			xs = append(xs, m.At)
		} else {
			ys = append(ys, m.At)
		}
	}
	legend := legend(t, p, lines, width)
	rows := max(4, height-len(legend)-2) // above: the label of y; below: the ticks
	x, y := newScale(p.X, xs, width/12), newScale(p.Y, ys, min(8, max(2, rows/2)))
	gutter := 0
	for _, tick := range y.ticks {
		gutter = max(gutter, text.Width(tick.Label))
	}
	if p.Y.Log {
		gutter = max(gutter, len("4.3"))
	}
	gutter = min(gutter, 10)
	d := plot{theme: t, x: x, y: y, canvas: canvas.New(max(4, width-gutter-2), rows), ends: map[canvas.Point]bool{}}
	d.marks(p.Marks, len(lines))
	var dots []drawn
	for i, l := range lines {
		dots = append(dots, d.dots(l, styleOf(t, l, i)))
	}
	d.paint(dots)
	for i, l := range lines {
		if l.Dots {
			d.points(l, styleOf(t, l, i))
		}
	}
	for i, l := range lines {
		d.end(l, letter(i), styleOf(t, l, i))
	}
	return append(d.frame(p, gutter, width), legend...)
}

// styleOf is that of the i-th line, in the panel and in the legend.
func styleOf(t theme.Theme, l chart.Line, i int) lipgloss.Style {
	if l.Faint {
		return t.Faint
	}
	return t.Line(i)
}

// series are the panel's lines, with its histograms as staircases.
func series(p chart.Panel) []chart.Line {
	lines := append([]chart.Line(nil), p.Lines...)
	for _, h := range p.Histograms {
		lines = append(lines, h.Outline())
	}
	return lines
}

// points marks the points of a line, if they stand apart.
func (d *plot) points(l chart.Line, style lipgloss.Style) {
	if 3*len(l.X) > d.canvas.Width() {
		return
	}
	for i := range l.X {
		x, okX := d.x.at(l.X[i])
		y, okY := d.y.at(l.Y[i])
		if okX && okY {
			d.canvas.SetRuneWithStyle(d.cell(x, y), '●', style)
		}
	}
}

// end puts a line's letter at its last point, or at an earlier one if another
// letter stands there.
func (d *plot) end(l chart.Line, sign rune, style lipgloss.Style) {
	for i := len(l.X) - 1; i >= 0; i-- {
		x, okX := d.x.at(l.X[i])
		y, okY := d.y.at(l.Y[i])
		at := d.cell(x, y)
		if !okX || !okY || d.ends[at] {
			continue
		}
		d.ends[at] = true
		d.canvas.SetRuneWithStyle(at, sign, style.Bold(true))
		return
	}
}

func (d *plot) cell(x, y float64) canvas.Point {
	return canvas.Point{
		X: int(math.Round(x * float64(d.canvas.Width()-1))),
		Y: int(math.Round((1 - y) * float64(d.canvas.Height()-1))),
	}
}

// marks draws the straight lines across the panel.
func (d *plot) marks(marks []chart.Mark, before int) {
	for i, m := range marks {
		style := d.theme.Line(before + i)
		if m.Vertical {
			x, _ := d.x.at(m.At)
			for row := range d.canvas.Height() {
				d.canvas.SetRuneWithStyle(canvas.Point{X: d.cell(x, 0).X, Y: row}, '┊', style)
			}
			continue
		}
		y, _ := d.y.at(m.At)
		for column := range d.canvas.Width() {
			d.canvas.SetRuneWithStyle(canvas.Point{X: column, Y: d.cell(0, y).Y}, '╌', style)
		}
	}
}

// frame puts the axes around the drawing.
func (d *plot) frame(p chart.Panel, gutter, width int) []string {
	labels := map[int]string{}
	for _, tick := range d.y.ticks {
		if y, ok := d.y.at(tick.At); ok {
			labels[d.cell(0, y).Y] = tick.Label
		}
	}
	if d.y.log && labels[0] == "" && labels[1] == "" { // round numbers are far apart there
		labels[0] = fmt.Sprintf("%.2g", d.y.max)
	}
	lines := []string{d.theme.Faint.Render(text.Cut(p.Y.Label, width))}
	for row, line := range strings.Split(d.canvas.View(), "\n") {
		edge := "│"
		if labels[row] != "" {
			edge = "┤"
		}
		lines = append(lines, d.theme.Faint.Render(text.Right(labels[row], gutter)+" "+edge)+line)
	}
	return append(lines, strings.Repeat(" ", gutter+2)+d.theme.Faint.Render(ticks(d.x, d.canvas.Width())))
}

// ticks writes the numbers below an axis that is width cells long.
func ticks(s scale, width int) string {
	line, free := text.NewRuler(width), 0
	for _, tick := range s.ticks {
		at, ok := s.at(tick.At)
		label := text.Width(tick.Label)
		begin := int(math.Round(at*float64(width-1))) - label/2
		begin = min(max(begin, 0), width-label)
		if !ok || begin < free || begin < 0 {
			continue
		}
		line.Put(begin, tick.Label)
		free = begin + label + 2
	}
	return line.String()
}

// legend names the lines and the marks.
func legend(t theme.Theme, p chart.Panel, lines []chart.Line, width int) []string {
	var items []string
	for i, l := range lines {
		if l.Name != "" {
			style := styleOf(t, l, i)
			items = append(items, style.Bold(true).Render(string(letter(i)))+" "+style.Render(l.Name))
		}
	}
	for i, m := range p.Marks {
		sign := "╌╌"
		if m.Vertical {
			sign = "┊"
		}
		items = append(items, t.Line(len(lines)+i).Render(sign+" "+m.Label))
	}
	if p.X.Label != "" {
		items = append(items, t.Faint.Render("→ "+p.X.Label))
	}
	return text.Flow(items, width)
}
