package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// check returns an error if a panel's parts do not fit together.
func check(p *chart.Panel) error {
	for _, l := range p.Lines {
		if len(l.X) != len(l.Y) {
			return fmt.Errorf("the line %q has %d x and %d y", l.Name, len(l.X), len(l.Y))
		}
	}
	for _, h := range p.Histograms {
		if len(h.Edges) != len(h.Heights)+1 {
			return fmt.Errorf("the histogram %q has %d heights and %d edges; want one edge more", h.Name, len(h.Heights), len(h.Edges))
		}
	}
	if h := p.Heat; h != nil {
		if len(h.Values) == 0 || len(h.Values) != len(h.Rows) || len(h.Cols) == 0 {
			return fmt.Errorf("the heat map has %d rows with %d labels, and %d columns", len(h.Values), len(h.Rows), len(h.Cols))
		}
		for i, row := range h.Values {
			if len(row) != len(h.Cols) {
				return fmt.Errorf("row %d of the heat map has %d values; want %d", i, len(row), len(h.Cols))
			}
		}
	}
	if p.Heat == nil && len(p.Lines)+len(p.Histograms)+len(p.Bars) == 0 {
		return fmt.Errorf("the panel %q is empty", p.Title)
	}
	return nil
}

// newPlot turns a panel into a plot; its title and its legend are drawn apart.
func (l *layout) newPlot(p *chart.Panel) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = color.White
	switch {
	case p.Heat != nil:
		l.setHeat(out, p)
	case len(p.Bars) > 0:
		setBars(out, p)
	default:
		setLines(out, p)
	}
	for _, m := range p.Marks {
		out.Add(mark{m, p.Lines})
	}
	return out
}

func setLines(out *plot.Plot, p *chart.Panel) {
	xs, ys := extent(p)
	setAxis(&out.X, p.X, xs.low, xs.high)
	setAxis(&out.Y, p.Y, ys.low, ys.high)
	out.Add(gridLines{true, true})
	for i, h := range p.Histograms {
		out.Add(staircase{h, fill(i), outline(i)})
	}
	// What is dashed lies on what is solid, so that both can be seen.
	for _, line := range seriesOf(p) {
		out.Add(line)
	}
}

// interval is a range of values.
type interval struct{ low, high float64 }

func (r *interval) add(values ...float64) {
	for _, v := range values {
		if drawable(v) {
			r.low, r.high = min(r.low, v), max(r.high, v)
		}
	}
}

// extent returns the ranges of everything in a panel.
func extent(p *chart.Panel) (x, y interval) {
	x, y = interval{math.Inf(1), math.Inf(-1)}, interval{math.Inf(1), math.Inf(-1)}
	for _, l := range p.Lines {
		x.add(l.X...)
		y.add(l.Y...)
	}
	for _, h := range p.Histograms {
		x.add(h.Edges...)
		y.add(h.Heights...)
		y.add(0)
	}
	for _, m := range p.Marks {
		if m.Vertical {
			x.add(m.At)
		} else {
			y.add(m.At)
		}
	}
	room := (y.high - y.low) * 0.04 // a curve that touches the frame cannot be read
	y.high += room
	if y.low != 0 || p.Y.Log {
		y.low -= room
	}
	return x, y
}

// setBars makes horizontal bars, with their names as ticks of the y axis.
func setBars(out *plot.Plot, p *chart.Panel) {
	largest, names := 0.0, make([]chart.Tick, len(p.Bars))
	for i, b := range p.Bars {
		largest = max(largest, b.Value)
		names[i] = chart.Tick{At: float64(len(p.Bars) - 1 - i), Label: b.Label}
	}
	setAxis(&out.X, p.X, 0, largest*1.22) // room for the texts
	setAxis(&out.Y, chart.Axis{Ticks: names}, -0.6, float64(len(p.Bars))-0.4)
	out.Y.Tick.Length, out.Y.Tick.Label.Font.Size = 0, legendSize
	out.Add(gridLines{true, false}, bars(p.Bars))
}

// setHeat makes a heat map, row 0 on top.
func (l *layout) setHeat(out *plot.Plot, p *chart.Panel) {
	rows, cols := len(p.Heat.Rows), len(p.Heat.Cols)
	x, y := p.X, p.Y
	x.Ticks, y.Ticks = names(p.Heat.Cols, l.panelWidth), names(p.Heat.Rows, l.panelHeight)
	for i := range y.Ticks {
		y.Ticks[i].At = float64(rows-1) - y.Ticks[i].At
	}
	setAxis(&out.X, x, -0.5, float64(cols)-0.5)
	setAxis(&out.Y, y, -0.5, float64(rows)-0.5)
	if !numeric(p.Heat.Cols) {
		cell := min(l.panelWidth/vg.Length(cols), l.panelHeight/vg.Length(rows))
		size := min(tickSize, max(cell*0.95, 6))
		if slices.Contains(p.Heat.Cols, "") { // there is room between those that have one
			size = tickSize
		}
		out.X.Tick.Label.Font.Size, out.Y.Tick.Label.Font.Size = size, size
	}
	out.X.Tick.Length, out.Y.Tick.Length = 0, 0
	out.Add(heat{p.Heat, l.colours})
}

// names returns ticks for rows or columns: for all of them if they are names,
// for round numbers if they are numbers. What has no label gets none.
func names(labels []string, room vg.Length) []chart.Tick {
	every := 1
	if numeric(labels) {
		const apart = 30
		for _, step := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} {
			if every = step; room/vg.Length(len(labels))*vg.Length(step) >= apart {
				break
			}
		}
	}
	var out []chart.Tick
	for i := 0; i < len(labels); i += every {
		if labels[i] != "" {
			out = append(out, chart.Tick{At: float64(i), Label: labels[i]})
		}
	}
	return out
}

// numeric reports whether labels are those of a long row of numbers.
func numeric(labels []string) bool {
	for _, l := range labels {
		if l == "" || strings.Trim(l, "0123456789") != "" {
			return false
		}
	}
	return len(labels) > 8
}
