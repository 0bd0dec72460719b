package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Line draws the points (x, y) and what joins them. A name of "" keeps it out of
// the legend. Points that are not finite, and on a logarithmic axis those that
// are not positive, are left out.
func (f *Figure) Line(name string, x, y []float64) *Figure {
	return f.line(name, x, y, false)
}

// Points is Line with a mark at every point.
func (f *Figure) Points(name string, x, y []float64) *Figure {
	return f.line(name, x, y, true)
}

func (f *Figure) line(name string, x, y []float64, marked bool) *Figure {
	var points plotter.XYs
	for i := range min(len(x), len(y)) {
		p := plotter.XY{X: scaled(x[i], f.logX), Y: scaled(y[i], f.logY)}
		if !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X+p.Y, 0) {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return f
	}
	l, s, err := plotter.NewLinePoints(points)
	if err != nil {
		f.note(err)
		return f
	}
	l.Color, l.Dashes, l.Width = palette(f.lines), dashes(f.lines), 1.6
	s.Color, s.Radius, s.Shape = l.Color, 2.6, mark(f.lines)
	f.lines++
	var thumbnails []plot.Thumbnailer
	f.plot.Add(l)
	thumbnails = append(thumbnails, l)
	if marked {
		f.plot.Add(s)
		thumbnails = append(thumbnails, s)
	}
	if name != "" {
		f.plot.Legend.Add(name, thumbnails...)
	}
	return f
}

func mark(i int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	return shapes[i%len(shapes)]
}

// Level draws a thin grey horizontal line with a name.
func (f *Figure) Level(name string, y float64) *Figure {
	l := plotter.NewFunction(func(float64) float64 { return scaled(y, f.logY) })
	l.Color, l.Width, l.Dashes = color.Gray{Y: 110}, 1, []vg.Length{1, 2}
	f.plot.Add(l)
	if name != "" {
		f.plot.Legend.Add(name, l)
	}
	return f
}

// Bars draws a bar of each height at 0, 1, 2, …. A second call draws beside the
// first: group counts from 0, and groups is how many there will be.
func (f *Figure) Bars(name string, heights []float64, group, groups int) *Figure {
	width := vg.Points(280 / float64(len(heights)*groups+len(heights)))
	b, err := plotter.NewBarChart(plotter.Values(heights), width)
	if err != nil {
		f.note(err)
		return f
	}
	b.Color, b.LineStyle.Width = palette(group), 0
	b.Offset = width * vg.Length(float64(group)-float64(groups-1)/2)
	if f.x == nil {
		f.LimitX(-0.6, float64(len(heights))-0.4)
	}
	f.plot.Add(b)
	if name != "" {
		f.plot.Legend.Add(name, b)
	}
	return f
}

// Curve draws a function between two ends.
func (f *Figure) Curve(name string, low, high float64, y func(x float64) float64) *Figure {
	const points = 400
	xs, ys := make([]float64, points), make([]float64, points)
	for i := range xs {
		xs[i] = low + (high-low)*float64(i)/(points-1)
		ys[i] = y(xs[i])
	}
	return f.Line(name, xs, ys)
}

// Histogram draws how often values fall into each of so many bins between two
// ends, as a density: the area under it is the share of the values inside.
func (f *Figure) Histogram(name string, values []float32, low, high float64, bins int) *Figure {
	width := (high - low) / float64(bins)
	counts := make([]float64, bins)
	for _, v := range values {
		if i := int(math.Floor((float64(v) - low) / width)); i >= 0 && i < bins {
			counts[i]++
		}
	}
	var xs, ys []float64 // a staircase
	for i, c := range counts {
		left, density := low+float64(i)*width, c/float64(len(values))/width
		xs, ys = append(xs, left, left+width), append(ys, density, density)
	}
	return f.Line(name, xs, ys)
}
