package draw

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// mark is a reference line with its label.
type mark struct {
	chart.Mark
	lines []chart.Line // that the label should not cover
}

func (m mark) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	line := draw.LineStyle{Color: faint, Width: 1.4, Dashes: []vg.Length{4, 3}}
	words := sans(tickSize, 0, faint)
	width, height := words.Width(m.Label), words.FontExtents().Height
	const gap = 5
	var places []vg.Point // of the label's lower left corner, the best first
	if m.Vertical {
		x := trX(m.At)
		c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		for _, y := range []vg.Length{c.Max.Y - gap - height, c.Center().Y, c.Min.Y + gap} {
			places = append(places, vg.Point{X: x + gap, Y: y}, vg.Point{X: x - gap - width, Y: y})
		}
	} else {
		y := trY(m.At)
		c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		for _, x := range []vg.Length{c.Max.X - gap - width, c.Center().X - width/2, c.Min.X + gap} {
			places = append(places, vg.Point{X: x, Y: y + gap/2}, vg.Point{X: x, Y: y - gap/2 - height})
		}
	}
	at := m.clearest(c, p, places, width, height)
	const edge = 1.5
	c.FillPolygon(color.White, []vg.Point{{X: at.X - edge, Y: at.Y}, {X: at.X + width + edge, Y: at.Y},
		{X: at.X + width + edge, Y: at.Y + height}, {X: at.X - edge, Y: at.Y + height}})
	words.YAlign = text.YBottom
	c.FillText(words, at, m.Label)
}

// clearest returns the first of the places where a box covers the least of the lines.
func (m mark) clearest(c draw.Canvas, p *plot.Plot, places []vg.Point, width, height vg.Length) vg.Point {
	trX, trY := p.Transforms(&c)
	best, least := places[0], -1
	for _, at := range places {
		covered := 0
		if at.X < c.Min.X || at.X+width > c.Max.X || at.Y < c.Min.Y || at.Y+height > c.Max.Y {
			covered = 1 << 20 // it would stick out
		}
		for _, l := range m.lines {
			for _, q := range between(l) {
				x, y := trX(q.x), trY(q.y)
				if x > at.X && x < at.X+width && y > at.Y && y < at.Y+height {
					covered++
				}
			}
		}
		if least < 0 || covered < least {
			best, least = at, covered
		}
	}
	return best
}

// spot is a point in the coordinates of the data.
type spot struct{ x, y float64 }

// between returns places along a line, close to each other.
func between(l chart.Line) []spot {
	const parts = 16
	var out []spot
	for i := 1; i < len(l.X); i++ {
		for k := range parts {
			t := float64(k) / parts
			out = append(out, spot{l.X[i-1] + t*(l.X[i]-l.X[i-1]), l.Y[i-1] + t*(l.Y[i]-l.Y[i-1])})
		}
	}
	return out
}
