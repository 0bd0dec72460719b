package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"github.com/stubformer/stubformer/grader/figure"
)

// logged returns a panel whose logarithmic axes have become linear ones of
// decimal logarithms: all that is drawn is then linear.
func logged(p figure.Panel) figure.Panel {
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

func loggedAxis(a figure.Axis) figure.Axis {
	if a.Min > 0 || a.Max > 0 {
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
func setAxis(a *plot.Axis, want figure.Axis, low, high float64) {
	if want.Min != 0 || want.Max != 0 {
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
type given []figure.Tick

func (g given) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range g {
		if t.At >= low && t.At <= high {
			out = append(out, plot.Tick{Value: t.At, Label: t.Label})
		}
	}
	return out
}

// linear places ticks at multiples of 1, 2 or 5 times a power of ten.
type linear struct{}

func (linear) Ticks(low, high float64) []plot.Tick {
	const wanted = 6
	step := math.Pow(10, math.Floor(math.Log10((high-low)/wanted)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= wanted+1 {
			step *= m
			break
		}
	}
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		out = append(out, plot.Tick{Value: i * step, Label: number(i*step, step)})
	}
	return out
}

// logarithmic places ticks on an axis of decimal logarithms: at powers of ten,
// and with a number at 2 and 5 times them where there is room.
type logarithmic struct{}

func (logarithmic) Ticks(low, high float64) []plot.Tick {
	const roomy = 3 // powers of ten
	var out []plot.Tick
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1.0; m < 10; m++ {
			value := m * math.Pow(10, e)
			t := plot.Tick{Value: math.Log10(value)}
			if t.Value < low || t.Value > high {
				continue
			}
			if m == 1 || high-low <= roomy && (m == 2 || m == 5) {
				t.Label = number(value, value)
			}
			out = append(out, t)
		}
	}
	return out
}

// number writes a number of an axis with as many digits as a step needs: 0.05,
// 20, 5k, 2M.
func number(x, step float64) string {
	for _, unit := range []struct {
		least, size float64
		name        string
	}{{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if math.Abs(x) >= unit.least && math.Mod(x, unit.size/10) == 0 {
			return minus(strconv.FormatFloat(x/unit.size, 'f', -1, 64) + unit.name)
		}
	}
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if digits > 6 {
		return minus(fmt.Sprintf("%.2g", x))
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return minus(s)
}

// minus writes a minus sign as printers do.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
