package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/figure/chart"
)

func TestScale(t *testing.T) {
	for name, tt := range map[string]struct {
		axis   chart.Axis
		values []float64
		count  int
		ticks  []string
	}{
		"round numbers":       {chart.Axis{}, []float64{0.3, 4.2}, 4, []string{"1", "2", "3", "4"}},
		"few":                 {chart.Axis{}, []float64{0, 10}, 2, []string{"0", "5", "10"}},
		"around zero":         {chart.Axis{}, []float64{-0.15, 0.15}, 3, []string{"−0.1", "0", "0.1"}},
		"large":               {chart.Axis{}, []float64{0, 50000}, 3, []string{"0", "20k", "40k"}},
		"logarithmic":         {chart.Axis{Log: true}, []float64{0.09, 4.3}, 3, []string{"0.1", "1"}},
		"logarithmic, close":  {chart.Axis{Log: true}, []float64{1, 6}, 4, []string{"1", "2", "5"}},
		"logarithmic, wide":   {chart.Axis{Log: true}, []float64{1, 1e8}, 3, []string{"1", "1000", "1M"}},
		"the axis's own ends": {chart.Axis{Max: 800}, []float64{0, 30}, 4, []string{"0", "200", "400", "600", "800"}},
		"its own ticks":       {chart.Axis{Ticks: []chart.Tick{{At: 1, Label: "one"}}}, []float64{0, 2}, 4, []string{"one"}},
		"nothing":             {chart.Axis{}, nil, 2, []string{"1.0", "1.5", "2.0"}},
		"one value":           {chart.Axis{}, []float64{3}, 2, []string{"2.5", "3.0", "3.5"}},
	} {
		var labels []string
		for _, tick := range newScale(tt.axis, tt.values, tt.count).ticks {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, tt.ticks, labels, name)
	}
}

func TestAt(t *testing.T) {
	s := newScale(chart.Axis{Log: true}, []float64{1, 100, -5, math.NaN()}, 3)
	for v, want := range map[float64]float64{1: 0, 10: 0.5, 100: 1} {
		got, ok := s.at(v)
		require.True(t, ok)
		require.InDelta(t, want, got, 1e-12)
	}
	for _, v := range []float64{0, -1, 1000, math.NaN()} {
		_, ok := s.at(v)
		require.False(t, ok, "%g stands nowhere", v)
	}
}

// A character that takes two cells does not move what stands behind it.
func TestRuler(t *testing.T) {
	r := newRuler(12)
	r.put(1, "词元")
	r.put(6, "key")
	require.Equal(t, " 词元 key", r.String())
	require.Equal(t, "词 元", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 6))
	require.Equal(t, "词", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 4), "half a character is none")
}
