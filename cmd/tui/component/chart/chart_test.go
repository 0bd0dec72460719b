package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/figure"
)

func TestScale(t *testing.T) {
	for name, tt := range map[string]struct {
		axis   figure.Axis
		values []float64
		count  int
		ticks  []string
	}{
		"round numbers":       {figure.Axis{}, []float64{0.3, 4.2}, 4, []string{"1", "2", "3", "4"}},
		"few":                 {figure.Axis{}, []float64{0, 10}, 2, []string{"0", "10"}},
		"around zero":         {figure.Axis{}, []float64{-0.15, 0.15}, 3, []string{"-0.1", "0.0", "0.1"}},
		"large":               {figure.Axis{}, []float64{0, 50000}, 3, []string{"0", "50k"}},
		"logarithmic":         {figure.Axis{Log: true}, []float64{0.09, 4.3}, 3, []string{"0.1", "1"}},
		"logarithmic, close":  {figure.Axis{Log: true}, []float64{1, 6}, 4, []string{"1", "2", "5"}},
		"logarithmic, wide":   {figure.Axis{Log: true}, []float64{1, 1e8}, 3, []string{"1", "1000", "1M"}},
		"the axis's own ends": {figure.Axis{Max: 800}, []float64{0, 30}, 4, []string{"0", "200", "400", "600", "800"}},
		"its own ticks":       {figure.Axis{Ticks: []figure.Tick{{At: 1, Label: "one"}}}, []float64{0, 2}, 4, []string{"one"}},
		"nothing":             {figure.Axis{}, nil, 2, []string{"1", "2"}},
		"one value":           {figure.Axis{}, []float64{3}, 2, []string{"2.5", "3.0", "3.5"}},
	} {
		var labels []string
		for _, tick := range newScale(tt.axis, tt.values, tt.count).ticks {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, tt.ticks, labels, name)
	}
}

func TestAt(t *testing.T) {
	s := newScale(figure.Axis{Log: true}, []float64{1, 100, -5, math.NaN()}, 3)
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

func TestStaircase(t *testing.T) {
	lines := series(figure.Panel{Histograms: []figure.Histogram{{Edges: []float64{0, 1, 2}, Heights: []float64{3, 4}}}})
	require.Equal(t, []float64{0, 0, 1, 1, 2, 2}, lines[0].X)
	require.Equal(t, []float64{0, 3, 3, 4, 4, 0}, lines[0].Y)
}

// A character that takes two cells does not move what stands behind it.
func TestRuler(t *testing.T) {
	r := newRuler(12)
	r.put(1, "词元")
	r.put(6, "key")
	require.Equal(t, " 词元 key", r.String())
	require.Equal(t, "词 元", columns(&figure.Heat{Cols: []string{"词", "元"}}, 1, 3, 6))
	require.Equal(t, "词", columns(&figure.Heat{Cols: []string{"词", "元"}}, 1, 3, 4), "half a character is none")
}
