package draw

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// sample is the length of the piece of line in a legend.
const sample vg.Length = 30

// key is one entry of a legend.
type key struct {
	name          string
	line          *series // or a histogram:
	fill, outline color.Color
}

// legend returns the entries of a panel's legend in rows that fit a width. A
// panel with one series needs none.
func (l *layout) legend(p *chart.Panel, width vg.Length) [][]key {
	var all []key
	for i, h := range p.Histograms {
		all = append(all, key{name: h.Name, fill: fill(i), outline: outline(i)})
	}
	for _, s := range seriesOf(p) {
		all = append(all, key{name: s.Name, line: &s})
	}
	all = slices.DeleteFunc(all, func(k key) bool { return k.name == "" })
	if len(all) < 2 {
		return nil
	}
	var rows [][]key
	used := width
	for _, k := range all {
		if used += k.width(); used > width {
			rows, used = append(rows, nil), k.width()
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
	}
	return rows
}

func (k key) style() text.Style {
	s := sans(legendSize, 0, ink)
	s.YAlign = text.YCenter
	return s
}

func (k key) width() vg.Length { return sample + 6 + k.style().Width(k.name) + 12 }

// draw draws an entry whose left end is at a point.
func (k key) draw(c draw.Canvas, at vg.Point) {
	if k.line != nil {
		c.StrokeLine2(k.line.style, at.X, at.Y, at.X+sample, at.Y)
		if k.line.Dots {
			c.DrawGlyphNoClip(k.line.glyph(), vg.Point{X: at.X + sample/2, Y: at.Y})
		}
	} else {
		box := []vg.Point{{X: at.X, Y: at.Y - 5}, {X: at.X + sample, Y: at.Y - 5}, {X: at.X + sample, Y: at.Y + 5}, {X: at.X, Y: at.Y + 5}}
		c.FillPolygon(k.fill, box)
		c.StrokeLines(draw.LineStyle{Color: k.outline, Width: thinLine}, append(box, box[0]))
	}
	c.FillText(k.style(), vg.Point{X: at.X + sample + 6, Y: at.Y + 1.5}, k.name)
}
