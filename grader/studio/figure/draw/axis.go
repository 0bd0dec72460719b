package draw

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// logged returns a panel whose logarithmic axes have become linear ones of
// decimal logarithms: all that is drawn is then linear.
func logged(p chart.Panel) chart.Panel {
	if p.X.Log {
		p.X = loggedAxis(p.X)
	}
	if p.Y.Log {
		p.Y = loggedAxis(p.Y)
	}
	lines, marks := slices.Clone(p.Lines), slices.Clone(p.Marks)
	for i := range lines {
		if p.X.Log {
			lines[i].X = logarithms(lines[i].X)
		}
		if p.Y.Log {
			lines[i].Y = logarithms(lines[i].Y)
		}
	}
	for i, m := range marks {
		if m.Vertical && p.X.Log || !m.Vertical && p.Y.Log {
			marks[i].At = math.Log10(m.At)
		}
	}
	p.Lines, p.Marks = lines, marks
	return p
}

func loggedAxis(a chart.Axis) chart.Axis {
	if a.Exact || a.Min > 0 || a.Max > 0 {
		a.Min, a.Max = math.Log10(a.Min), math.Log10(a.Max)
	}
	a.Ticks = slices.Clone(a.Ticks)
	for i := range a.Ticks {
		a.Ticks[i].At = math.Log10(a.Ticks[i].At)
	}
	return a
}

// logarithms returns NaN where there is none.
func logarithms(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		if out[i] = math.Log10(x); math.IsInf(out[i], 0) {
			out[i] = math.NaN()
		}
	}
	return out
}

// setAxis gives an axis of a plot its range and its numbers. low and high are
// the ends of the data.
func setAxis(a *plot.Axis, want chart.Axis, low, high float64) {
	if want.Exact {
		low, high = want.Min, want.Max
	} else if want.Min != 0 || want.Max != 0 {
		low, high = min(low, finite(want.Min, low)), max(high, finite(want.Max, high))
	}
	if !(low < high) { // one value, or none
		low, high = low-0.5, low+0.5
	}
	a.Min, a.Max = low, high
	a.Tick.Marker = linear{}
	switch {
	case len(want.Ticks) > 0:
		a.Tick.Marker = given(want.Ticks)
	case want.Log:
		a.Tick.Marker = logarithmic{}
	}
	a.Label.Text, a.Label.Padding = want.Label, 4
	a.Label.TextStyle.Font, a.Tick.Label.Font = sans(labelSize, 0, ink).Font, sans(tickSize, 0, ink).Font
	a.LineStyle.Color, a.Tick.LineStyle.Color, a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink, ink, ink
	a.Tick.Length, a.Padding = 5, 0
}

// finite returns x, or instead of an infinity something else.
func finite(x, instead float64) float64 {
	if math.IsInf(x, 0) {
		return instead
	}
	return x
}

// given are the ticks that the figure asks for.
type given []chart.Tick

func (g given) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range g {
		if t.At >= low && t.At <= high {
			out = append(out, plot.Tick{Value: t.At, Label: t.Label})
		}
	}
	return out
}

// linear places ticks at round numbers.
type linear struct{}

func (linear) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range chart.Ticks(low, high, 6) {
		out = append(out, plot.Tick{Value: t.At, Label: t.Label})
	}
	return out
}

// logarithmic places ticks on an axis of decimal logarithms: with a number where
// there is room, and unless it spans many powers of ten without one between them.
type logarithmic struct{}

func (logarithmic) Ticks(low, high float64) []plot.Tick {
	const most = 10 // numbers, and powers of ten with ticks between them
	var out []plot.Tick
	for _, t := range chart.LogTicks(math.Pow(10, low), math.Pow(10, high), most) {
		out = append(out, plot.Tick{Value: math.Log10(t.At), Label: t.Label})
	}
	if high-low > most {
		return out
	}
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1.0; m < 10; m++ {
			if at := e + math.Log10(m); at >= low && at <= high {
				out = append(out, plot.Tick{Value: at})
			}
		}
	}
	return out
}
