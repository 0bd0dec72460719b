package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// powers marks a logarithmic axis at powers of ten and, unlabelled, between
// them. On an axis of at most so many decades 2 and 5 are labelled as well.
type powers struct{ decades int }

// Ticks implements plot.Ticker for an axis of decimal logarithms.
func (p powers) Ticks(low, high float64) []plot.Tick {
	const near = 1e-9
	first, last := int(math.Floor(low+near)), int(math.Ceil(high-near))
	every := 1 + (last-first)/9
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for n := 1.0; n < 10; n++ {
			at := float64(e) + math.Log10(n)
			if at < low-near || at > high+near {
				continue
			}
			label := ""
			switch {
			case n == 1 && e%every == 0:
				label = power(e)
			case last-first <= p.decades && (n == 2 || n == 5):
				label = fmt.Sprintf("%g", n*math.Pow(10, float64(e)))
			}
			if label != "" || every == 1 || n == 1 {
				ticks = append(ticks, plot.Tick{Value: at, Label: label})
			}
		}
	}
	return ticks
}

// power writes 10^e: as a number where that is short.
func power(e int) string {
	if e >= -3 && e <= 4 {
		return fmt.Sprintf("%g", math.Pow(10, float64(e)))
	}
	return fmt.Sprintf("1e%d", e)
}

// named marks 0, 1, 2, … with names; one that is empty gets no mark.
type named []string

func (n named) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for i, name := range n {
		if name == "" {
			continue
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	return ticks
}

// round marks round numbers, between five and eleven of them.
type round struct{}

func (round) Ticks(low, high float64) []plot.Tick {
	low, high = min(low, high), max(low, high)
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, more := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (high-low)/step > 10 {
			step *= more
		}
	}
	var ticks []plot.Tick
	for n := int(math.Ceil(low/step - 1e-9)); float64(n)*step <= high+1e-9*step; n++ {
		v := float64(n) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.6g", v)})
	}
	return ticks
}

// whole is round for numbers that count something.
type whole struct{}

func (whole) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (round{}).Ticks(low, high) {
		if t.Value == math.Trunc(t.Value) {
			ticks = append(ticks, t)
		}
	}
	return ticks
}
