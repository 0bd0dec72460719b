package figure

import (
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const barWidth = 44 // points, with its numbers

// Heat draws a matrix as coloured squares, row 0 at the top, from white at low
// to black at high. Values outside get the colour of the end.
func (f *Figure) Heat(rows [][]float64, low, high float64) *Figure {
	white, blue, dark := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 114, 178, 255}, color.RGBA{0, 20, 50, 255}
	return f.heat(rows, ramp{low, high, []color.RGBA{white, {150, 205, 235, 255}, blue, dark}})
}

// Balance is Heat for values of both signs: vermilion at −limit, white at 0, blue
// at limit.
func (f *Figure) Balance(rows [][]float64, limit float64) *Figure {
	return f.heat(rows, ramp{-limit, limit, []color.RGBA{{120, 45, 0, 255}, {213, 94, 0, 255}, {255, 255, 255, 255}, {0, 114, 178, 255}, {0, 40, 80, 255}}})
}

func (f *Figure) heat(rows [][]float64, r ramp) *Figure {
	f.bar = &r
	f.plot.Add(squares{rows, r})
	f.plot.X.Min, f.plot.X.Max = -0.5, float64(len(rows[0]))-0.5
	f.plot.Y.Min, f.plot.Y.Max = -0.5, float64(len(rows))-0.5
	f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = whole{}, whole{}
	f.plot.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	f.plot.X.Padding, f.plot.Y.Padding = 0, 0
	return f
}

// ramp maps numbers to colours that lie between the given ones.
type ramp struct {
	low, high float64
	colours   []color.RGBA
}

func (r ramp) at(v float64) color.Color {
	if math.IsNaN(v) {
		return color.Gray{Y: 225}
	}
	share := min(max((v-r.low)/(r.high-r.low), 0), 1) * float64(len(r.colours)-1)
	i := min(int(share), len(r.colours)-2)
	part := share - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + part*(float64(b)-float64(a)))) }
	a, b := r.colours[i], r.colours[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// draw draws the scale along the right edge of c.
func (r ramp) draw(c draw.Canvas) {
	p := plot.New()
	p.HideX()
	p.Y.Tick.Marker = round{}
	p.Y.Min, p.Y.Max, p.X.Min, p.X.Max = r.low, r.high, 0, 1
	p.Y.Tick.Label.Font.Variant, p.Y.Tick.Label.Font.Size, p.Y.Padding = "Sans", 8, 0
	const steps = 64
	column := make([][]float64, steps)
	for i := range column {
		column[i] = []float64{r.low + (r.high-r.low)*(float64(i)+0.5)/steps}
	}
	p.Add(scale{column, r})
	p.Draw(draw.Crop(c, c.Max.X-c.Min.X-barWidth+10, 0, 40, -28))
}

// squares draws a matrix at (column, row).
type squares struct {
	rows [][]float64
	ramp ramp
}

func (s squares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	wide, high := len(s.rows[0]), len(s.rows)
	fine := max(1, 1200/max(wide, high)) // pixels for each number, so that its edges stay sharp
	img := image.NewRGBA(image.Rect(0, 0, wide*fine, high*fine))
	for i, row := range s.rows {
		for j, v := range row {
			square := image.Rect(j*fine, i*fine, (j+1)*fine, (i+1)*fine)
			imagedraw.Draw(img, square, image.NewUniform(s.ramp.at(v)), image.Point{}, imagedraw.Src)
		}
	}
	c.DrawImage(vg.Rectangle{
		Min: vg.Point{X: x(-0.5), Y: y(float64(high) - 0.5)},
		Max: vg.Point{X: x(float64(wide) - 0.5), Y: y(-0.5)},
	}, img)
}

// scale draws the colours of a ramp from the bottom to the top.
type scale squares

func (s scale) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	step := (s.ramp.high - s.ramp.low) / float64(len(s.rows))
	for _, row := range s.rows {
		fill(c, s.ramp.at(row[0]), c.Min.X, c.Max.X, y(row[0]-step/2), y(row[0]+step/2))
	}
}

func fill(c draw.Canvas, colour color.Color, x0, x1, y0, y1 vg.Length) {
	const seam = 0.25 // neighbours overlap by so much, or the background shines through
	c.FillPolygon(colour, []vg.Point{{X: x0, Y: y0 - seam}, {X: x1 + seam, Y: y0 - seam}, {X: x1 + seam, Y: y1}, {X: x0, Y: y1}})
}
