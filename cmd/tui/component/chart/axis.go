package chart

import (
	"math"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/figure"
)

// scale maps an axis to the range from 0 to 1.
type scale struct {
	log      bool
	min, max float64
	ticks    []figure.Tick
}

// newScale returns the scale that covers an axis and its values, with about
// count ticks on it.
func newScale(a figure.Axis, values []float64, count int) scale {
	s := scale{log: a.Log, min: math.Inf(1), max: math.Inf(-1)}
	if a.Min != 0 || a.Max != 0 {
		values = append([]float64{a.Min, a.Max}, values...)
	}
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && (v > 0 || !a.Log) {
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
	switch {
	case s.min > s.max: // no values
		s.min, s.max = 1, 2
	case s.min == s.max && a.Log:
		s.min, s.max = s.min/2, s.max*2
	case s.min == s.max:
		s.min, s.max = s.min-0.5, s.max+0.5
	}
	s.ticks = a.Ticks
	if len(s.ticks) == 0 {
		s.ticks = s.round(count)
	}
	return s
}

// at returns where a value stands, and whether it stands anywhere.
func (s scale) at(v float64) (float64, bool) {
	if s.log {
		if v <= 0 {
			return 0, false
		}
		v = math.Log(v/s.min) / math.Log(s.max/s.min)
	} else {
		v = (v - s.min) / (s.max - s.min)
	}
	const slack = 1e-9
	return min(max(v, 0), 1), v >= -slack && v <= 1+slack // NaN is neither
}

// round returns ticks at round numbers.
func (s scale) round(count int) []figure.Tick {
	if s.log {
		return s.powers(count)
	}
	base := math.Pow(10, math.Ceil(math.Log10((s.max-s.min)/float64(max(count, 1)))))
	var ticks []figure.Tick
	for _, k := range []float64{1, 0.5, 0.2, 0.1} { // the widest step with nearly as many ticks as wanted
		if ticks = s.every(k * base); len(ticks) >= max(2, count-1) {
			break
		}
	}
	return ticks
}

// every returns ticks at the multiples of a step.
func (s scale) every(step float64) []figure.Tick {
	var ticks []figure.Tick
	for i := math.Ceil(s.min/step - 1e-9); i*step <= s.max+1e-9*step; i++ {
		ticks = append(ticks, figure.Tick{At: i * step, Label: number(i*step, step)})
	}
	return ticks
}

// powers returns ticks at powers of ten, at 2 and 5 times them if there is room,
// and at fewer of them if there is little.
func (s scale) powers(count int) []figure.Tick {
	count = max(count, 2)
	fine := s.times(1, 2, 5)
	if len(fine) <= count {
		return fine
	}
	coarse := s.times(1)
	if len(coarse) < 2 {
		coarse = fine
	}
	stride := (len(coarse) + count - 1) / count
	var ticks []figure.Tick
	for i := 0; i < len(coarse); i += stride {
		ticks = append(ticks, coarse[i])
	}
	return ticks
}

// times returns ticks at some multiples of the powers of ten.
func (s scale) times(of ...float64) []figure.Tick {
	var ticks []figure.Tick
	const slack = 1e-9
	for e := math.Floor(math.Log10(s.min)); e <= math.Log10(s.max)+slack; e++ {
		for _, n := range of {
			if v := n * math.Pow(10, e); v >= s.min*(1-slack) && v <= s.max*(1+slack) {
				ticks = append(ticks, figure.Tick{At: v, Label: short(v)})
			}
		}
	}
	return ticks
}

// short writes a round number in few characters: 20, 0.05, 10k, 1e-06.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + "M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// number writes a tick with as many decimals as its step needs.
func number(v, step float64) string {
	if math.Abs(v) < step*1e-6 {
		v = 0
	}
	switch {
	case math.Abs(v) >= 1e4:
		return short(v)
	case step < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, int(math.Ceil(-math.Log10(step)-1e-9))), 64)
}

// ruler is a line of cells on which labels are put.
type ruler []string

func newRuler(width int) ruler { return strings.Split(strings.Repeat(" ", max(0, width)), "") }

// put writes a label from a cell on. A character may take two cells, or none.
func (r ruler) put(at int, label string) {
	for _, c := range label {
		width := text.Width(string(c))
		switch {
		case at+width > len(r):
			return
		case width == 0 && at > 0:
			r[at-1] += string(c)
		case width > 0:
			r[at] = string(c)
			clear(r[at+1 : at+width])
		}
		at += width
	}
}

func (r ruler) String() string { return strings.TrimRight(strings.Join(r, ""), " ") }
