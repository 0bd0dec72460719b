package draw

import (
	"image"
	"image/color"
	paint "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// gridLines are thin lines at the labelled ticks, behind everything.
type gridLines struct{ x, y bool }

func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style := draw.LineStyle{Color: grid, Width: thinLine}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if g.x && t.Label != "" {
			c.StrokeLine2(style, trX(t.Value), c.Min.Y, trX(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if g.y && t.Label != "" {
			c.StrokeLine2(style, c.Min.X, trY(t.Value), c.Max.X, trY(t.Value))
		}
	}
}

// series is a line.
type series struct {
	chart.Line
	style draw.LineStyle
	shape draw.GlyphDrawer // of its dots
}

// seriesOf returns the lines of a panel, each with a style of its own.
func seriesOf(p *chart.Panel) []series {
	all := make([]series, len(p.Lines))
	for i, style := range lineStyles(p.Lines) {
		all[i] = series{p.Lines[i], style, glyph(i)}
	}
	return all
}

func (s series) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	var parts [][]vg.Point
	joined := false
	for i, x := range s.X {
		if !drawable(x) || !drawable(s.Y[i]) {
			joined = false
			continue
		}
		at := vg.Point{X: trX(x), Y: trY(s.Y[i])}
		if !joined {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], at)
		joined = true
	}
	c.StrokeLines(s.style, c.ClipLinesXY(parts...)...)
	if !s.Dots {
		return
	}
	for _, part := range parts {
		for _, at := range part {
			c.DrawGlyph(s.glyph(), at)
		}
	}
}

func (s series) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.style.Color, Radius: s.style.Width * 1.5, Shape: s.shape}
}

// drawable reports whether a value has a place on an axis.
func drawable(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// staircase is a histogram.
type staircase struct {
	chart.Histogram
	fill, line color.Color
}

func (s staircase) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	line := s.Outline()
	outline := make([]vg.Point, len(line.X))
	for i, x := range line.X {
		outline[i] = vg.Point{X: trX(x), Y: trY(line.Y[i])}
	}
	c.FillPolygon(s.fill, c.ClipPolygonXY(outline))
	c.StrokeLines(draw.LineStyle{Color: s.line, Width: thinLine}, c.ClipLinesXY(outline)...)
}

// bars are horizontal bars; the first is on top, at the height len−1.
type bars []chart.Bar

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	words := sans(legendSize, 0, ink)
	words.YAlign = text.YCenter
	const half = 0.34 // of a bar's thickness, in units of the distance between bars
	for i, bar := range b {
		at := float64(len(b) - 1 - i)
		fill := colour(0)
		if bar.Weak {
			fill = color.RGBA{0xb0, 0xb0, 0xb0, 0xff}
		}
		left, right, low, high := c.Min.X, trX(bar.Value), trY(at-half), trY(at+half)
		c.FillPolygon(fill, []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
		c.FillText(words, vg.Point{X: right + 6, Y: trY(at) + 3}, bar.Text)
	}
}

// heat is a matrix in colours.
type heat struct {
	*chart.Heat
	colours palette.ColorMap
}

// imageDots is how many dots the longer side of a heat map's image has, about:
// with several a cell, the cells are sharp when the image is scaled.
const imageDots = 500

func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	low, high := h.Range()
	rows, cols := len(h.Values), len(h.Cols)
	dots := imageDots/max(rows, cols) + 1
	img := image.NewRGBA(image.Rect(0, 0, cols*dots, rows*dots))
	for row, values := range h.Values {
		for col, v := range values {
			if !math.IsNaN(v) {
				cell := image.Rect(col*dots, row*dots, (col+1)*dots, (row+1)*dots)
				paint.Draw(img, cell, image.NewUniform(shade(h.colours, (v-low)/(high-low))), image.Point{}, paint.Src)
			}
		}
	}
	c.DrawImage(c.Rectangle, img)
}

// shade returns the colour of a value between 0 and 1.
func shade(m palette.ColorMap, v float64) color.Color {
	c, err := m.At(min(1, max(0, v)))
	if err != nil { // cannot be: the value lies in the range
		return color.Transparent
	}
	return c
}
