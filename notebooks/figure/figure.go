// Package figure draws the pictures of the notebooks: a thin layer over
// gonum.org/v1/plot, so that a cell can say what it shows and not how to draw it.
//
// Colours are those of Okabe and Ito ("Color Universal Design", 2008), which
// people with any kind of colour vision can tell apart; lines differ in their
// dashes as well.
package figure

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Colours, in the order in which lines get them.
func palette(i int) color.Color {
	colours := []color.Color{
		color.RGBA{0, 114, 178, 255},   // blue
		color.RGBA{213, 94, 0, 255},    // vermilion
		color.RGBA{0, 158, 115, 255},   // bluish green
		color.RGBA{204, 121, 167, 255}, // reddish purple
		color.RGBA{230, 159, 0, 255},   // orange
		color.RGBA{86, 180, 233, 255},  // sky blue
		color.RGBA{0, 0, 0, 255},       // black
	}
	return colours[i%len(colours)]
}

func dashes(i int) []vg.Length {
	patterns := [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {10, 4}, {4, 2, 1, 2, 1, 2}}
	return patterns[i%len(patterns)]
}

// Figure is one picture.
type Figure struct {
	plot  *plot.Plot
	x, y  *span // limits asked for
	logX  bool  // x is drawn as log10 x, on a linear axis: gonum's LogScale misplaces the axis' name
	logY  bool
	lines int   // drawn so far
	bar   *ramp // the scale of a heat map, drawn on the right
	err   error // the first that occurred
}

// span is the part of an axis that is shown.
type span struct{ low, high float64 }

// New returns an empty picture. The names of the axes say the units.
func New(title, x, y string) *Figure {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.Legend.Padding = 6, 2
	for style, size := range map[*font.Font]float64{
		&p.Title.TextStyle.Font: 12, &p.Legend.TextStyle.Font: 10,
		&p.X.Label.TextStyle.Font: 11, &p.Y.Label.TextStyle.Font: 11,
		&p.X.Tick.Label.Font: 9.5, &p.Y.Tick.Label.Font: 9.5,
	} {
		style.Variant, style.Size = "Sans", font.Points(size)
	}
	p.Legend.ThumbnailWidth, p.Legend.Top = 28, true
	p.X.Tick.Marker, p.Y.Tick.Marker = round{}, round{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 228}, color.Gray{Y: 228}
	p.Add(grid)
	return &Figure{plot: p}
}

// note keeps the first error; Show reports it.
func (f *Figure) note(err error) {
	if f.err == nil {
		f.err = err
	}
}

// LogX makes the horizontal axis logarithmic.
func (f *Figure) LogX() *Figure {
	f.logX, f.plot.X.Tick.Marker = true, powers{2}
	return f
}

// LogY makes the vertical axis logarithmic.
func (f *Figure) LogY() *Figure {
	f.logY, f.plot.Y.Tick.Marker = true, powers{3}
	return f
}

// LimitX sets the ends of the horizontal axis.
func (f *Figure) LimitX(low, high float64) *Figure {
	f.x = &span{low, high}
	return f
}

// LimitY sets the ends of the vertical axis.
func (f *Figure) LimitY(low, high float64) *Figure {
	f.y = &span{low, high}
	return f
}

// NamesX writes a name under each of 0, 1, 2, … in place of the numbers.
func (f *Figure) NamesX(names ...string) *Figure {
	f.plot.X.Tick.Marker = named(names)
	return f
}

// NamesY does the same on the vertical axis, from the top if the picture is a
// heat map and from the bottom otherwise.
func (f *Figure) NamesY(names ...string) *Figure {
	f.plot.Y.Tick.Marker = named(names)
	return f
}

// LegendAt moves the legend to a corner: "top left", "bottom right" and so on.
func (f *Figure) LegendAt(corner string) *Figure {
	f.plot.Legend.Top = strings.Contains(corner, "top")
	f.plot.Legend.Left = strings.Contains(corner, "left")
	return f
}

// Show displays pictures side by side under the cell. Heat maps side by side have
// one scale, which is drawn for the last of them. Height is in points; the
// width is that of a page.
func Show(height int, figures ...*Figure) {
	png, err := Render(height, figures...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "figure:", err)
		os.Exit(1)
	}
	gonbui.DisplayPng(png)
	gonbui.Sync()
}

// Render returns the pictures side by side as a PNG file.
func Render(height int, figures ...*Figure) ([]byte, error) {
	const width, dpi, gap = 560, 120, 14
	img := vgimg.NewWith(vgimg.UseWH(width, vg.Length(height)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	canvas := draw.Crop(draw.New(img), 3, -12, 2, -3)
	tiles := draw.Tiles{Rows: 1, Cols: len(figures), PadX: gap}
	plots := [][]*plot.Plot{make([]*plot.Plot, len(figures))}
	var bar *ramp // one scale for all: the last
	for i, f := range figures {
		if f.err != nil {
			return nil, f.err
		}
		f.limit()
		plots[0][i] = f.plot
		if f.bar != nil {
			bar = f.bar
		}
	}
	if bar != nil {
		bar.draw(canvas)
		canvas = draw.Crop(canvas, 0, -barWidth, 0, 0)
	}
	for i, part := range plot.Align(plots, tiles, canvas)[0] {
		figures[i].plot.Draw(part)
	}
	return encode(img.Image())
}

// limit applies the limits that were asked for, which whatever is added to a
// plot would move.
func (f *Figure) limit() {
	if f.x != nil {
		f.plot.X.Min, f.plot.X.Max = scaled(f.x.low, f.logX), scaled(f.x.high, f.logX)
	}
	if f.y != nil {
		f.plot.Y.Min, f.plot.Y.Max = scaled(f.y.low, f.logY), scaled(f.y.high, f.logY)
	}
}

// scaled returns where v stands on an axis.
func scaled(v float64, logarithmic bool) float64 {
	if logarithmic {
		return math.Log10(v)
	}
	return v
}
