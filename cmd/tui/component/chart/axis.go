package chart

import (
	"math"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// scale maps an axis to the range from 0 to 1.
type scale struct {
	log      bool
	min, max float64
	ticks    []chart.Tick
}

// newScale returns the scale that covers an axis and its values, with about
// count ticks on it.
func newScale(a chart.Axis, values []float64, count int) scale {
	s := scale{log: a.Log, min: math.Inf(1), max: math.Inf(-1)}
	if a.Exact {
		values = []float64{a.Min, a.Max}
	} else if a.Min != 0 || a.Max != 0 {
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
		if a.Log {
			s.ticks = chart.LogTicks(s.min, s.max, count)
		} else {
			s.ticks = chart.Ticks(s.min, s.max, count)
		}
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
