// Package figure lets a cell of a notebook say what it shows: it puts together a
// chart, which the kit draws.
package figure

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/figure/draw"
)

// Figure is one picture.
type Figure struct{ panel chart.Panel }

// New returns an empty picture. The names of the axes say the units.
func New(title, x, y string) *Figure {
	return &Figure{chart.Panel{Title: title, X: chart.Axis{Label: x}, Y: chart.Axis{Label: y}}}
}

// LogX makes the horizontal axis logarithmic.
func (f *Figure) LogX() *Figure {
	f.panel.X.Log = true
	return f
}

// LogY makes the vertical axis logarithmic.
func (f *Figure) LogY() *Figure {
	f.panel.Y.Log = true
	return f
}

// LimitX sets the ends of the horizontal axis.
func (f *Figure) LimitX(low, high float64) *Figure {
	f.panel.X.Min, f.panel.X.Max, f.panel.X.Exact = low, high, true
	return f
}

// LimitY sets the ends of the vertical axis.
func (f *Figure) LimitY(low, high float64) *Figure {
	f.panel.Y.Min, f.panel.Y.Max, f.panel.Y.Exact = low, high, true
	return f
}

// NamesX writes a name under each of 0, 1, 2, … in place of the numbers; one that
// is empty is left out.
func (f *Figure) NamesX(names ...string) *Figure {
	if f.panel.Heat != nil {
		f.panel.Heat.Cols = names
		return f
	}
	for i, name := range names {
		if name != "" {
			f.panel.X.Ticks = append(f.panel.X.Ticks, chart.Tick{At: float64(i), Label: name})
		}
	}
	return f
}

// NamesY does the same beside the rows of a heat map, from the top.
func (f *Figure) NamesY(names ...string) *Figure {
	f.panel.Heat.Rows = names
	return f
}

// Line draws the points (x, y) and what joins them. A name of "" keeps it out of
// the legend. A longer x than y is cut to its length. Points that are not finite,
// and on a logarithmic axis those that are not positive, are left out.
func (f *Figure) Line(name string, x, y []float64) *Figure {
	return f.line(chart.Line{Name: name, X: x, Y: y})
}

// Points is Line with a mark at every point.
func (f *Figure) Points(name string, x, y []float64) *Figure {
	return f.line(chart.Line{Name: name, X: x, Y: y, Dots: true})
}

func (f *Figure) line(l chart.Line) *Figure {
	l.X = l.X[:min(len(l.X), len(l.Y))]
	f.panel.Lines = append(f.panel.Lines, l)
	return f
}

// Level draws a thin grey horizontal line with a name.
func (f *Figure) Level(name string, y float64) *Figure {
	f.panel.Marks = append(f.panel.Marks, chart.Mark{Label: name, At: y})
	return f
}

// Bars draws a bar of each height at 0, 1, 2, …. A second call draws beside the
// first: group counts from 0, and groups is how many there will be.
func (f *Figure) Bars(name string, heights []float64, group, groups int) *Figure {
	const room = 0.8 // of a place: for its bars
	width := room / float64(groups)
	h := chart.Histogram{Name: name}
	for i, height := range heights {
		left := float64(i) - room/2 + float64(group)*width
		if i > 0 {
			h.Heights = append(h.Heights, 0) // between two bars
		}
		h.Edges, h.Heights = append(h.Edges, left, left+width), append(h.Heights, height)
	}
	f.panel.Histograms = append(f.panel.Histograms, h)
	return f
}

// Curve draws a function between two ends.
func (f *Figure) Curve(name string, low, high float64, y func(x float64) float64) *Figure {
	const points = 400
	var l chart.Line
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		l.Add(x, y(x))
	}
	return f.Line(name, l.X, l.Y)
}

// Histogram draws how often values fall into each of so many bins between two
// ends, as a density: the area under it is the share of the values inside.
func (f *Figure) Histogram(name string, values []float32, low, high float64, bins int) *Figure {
	width := (high - low) / float64(bins)
	h := chart.Histogram{Name: name, Heights: make([]float64, bins)}
	for _, v := range values {
		if i := int(math.Floor((float64(v) - low) / width)); i >= 0 && i < bins {
			h.Heights[i] += 1 / float64(len(values)) / width
		}
	}
	for i := range bins + 1 {
		h.Edges = append(h.Edges, low+float64(i)*width)
	}
	f.panel.Lines = append(f.panel.Lines, h.Outline())
	return f
}

// Heat draws a matrix as coloured squares, row 0 at the top, from dark at low to
// bright at high. Values outside get the colour of the end.
func (f *Figure) Heat(rows [][]float64, low, high float64) *Figure {
	f.panel.Heat = &chart.Heat{Values: rows, Min: low, Max: high, Rows: numbers(len(rows)), Cols: numbers(len(rows[0]))}
	return f
}

// Balance is Heat for values of both signs: red at −limit, light grey at 0, blue
// at limit.
func (f *Figure) Balance(rows [][]float64, limit float64) *Figure {
	f.Heat(rows, -limit, limit).panel.Heat.Signed = true
	return f
}

// numbers returns "0", "1", …, n−1.
func numbers(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return all
}

// Show displays pictures side by side under the cell.
func Show(figures ...*Figure) {
	var png bytes.Buffer
	if err := render(&png, figures); err != nil {
		fmt.Fprintln(os.Stderr, "figure:", err)
		os.Exit(1)
	}
	gonbui.DisplayPng(png.Bytes())
	gonbui.Sync()
}

// render draws pictures side by side, as a PNG.
func render(out *bytes.Buffer, figures []*Figure) error {
	const dotsPerInch = 80 // enough for the width of a page
	img, err := draw.Image(chartOf(figures), dotsPerInch)
	if err != nil {
		return err
	}
	return encode(out, img)
}

// chartOf returns the chart of pictures that stand side by side.
func chartOf(figures []*Figure) *chart.Chart {
	c := &chart.Chart{Name: "of this cell", Columns: len(figures)}
	for _, f := range figures {
		c.Panels = append(c.Panels, f.panel)
	}
	if len(figures) == 1 { // its title is the chart's
		c.Title, c.Panels[0].Title = c.Panels[0].Title, ""
	}
	return c
}
