package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// labels returns what stands at ticks.
func labels(ticks []Tick) (out []string) {
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return out
}

func TestTicks(t *testing.T) {
	for name, tt := range map[string]struct {
		low, high float64
		count     int
		want      []string
	}{
		"hundreds":      {0, 2000, 6, []string{"0", "500", "1000", "1500", "2000"}},
		"thousands":     {0, 38000, 6, []string{"0", "10k", "20k", "30k"}},
		"around zero":   {-0.18, 0.18, 6, []string{"−0.1", "0", "0.1"}},
		"not the ends":  {0.3, 4.2, 4, []string{"1", "2", "3", "4"}},
		"few":           {0, 10, 2, []string{"0", "5", "10"}},
		"small numbers": {0, 2e-5, 2, []string{"0", "1e−05", "2e−05"}},
	} {
		require.Equal(t, tt.want, labels(Ticks(tt.low, tt.high, tt.count)), name)
	}
	require.Equal(t, "2.5M", number(2.5e6, 5e5))
}

func TestLogTicks(t *testing.T) {
	for name, tt := range map[string]struct {
		low, high float64
		count     int
		want      []string
	}{
		"close":        {0.08, 4, 10, []string{"0.1", "0.2", "0.5", "1", "2"}},
		"little room":  {0.09, 4.3, 3, []string{"0.1", "1"}},
		"powers":       {0.01, 100, 10, []string{"0.01", "0.1", "1", "10", "100"}},
		"wide":         {1, 1e8, 3, []string{"1", "1000", "1M"}},
		"small":        {1e-6, 1e-4, 3, []string{"1e−06", "1e−05", "0.0001"}},
		"one power":    {2, 6, 2, []string{"2", "5"}},
		"no power":     {2.1, 4.4, 10, []string{"2.5", "3.0", "3.5", "4.0"}},
		"hardly any":   {1.45, 1.62, 2, []string{"1.5", "1.6"}},
		"at most that": {1e-9, 1e9, 10, []string{"1e−09", "1e−07", "1e−05", "0.001", "0.1", "10", "1000", "100k", "10M", "1G"}},
	} {
		require.Equal(t, tt.want, labels(LogTicks(tt.low, tt.high, tt.count)), name)
	}
}

func TestOutline(t *testing.T) {
	h := Histogram{Name: "h", Edges: []float64{0, 1, 2}, Heights: []float64{3, 4}}
	require.Equal(t, Line{Name: "h", X: []float64{0, 0, 1, 1, 2, 2}, Y: []float64{0, 3, 3, 4, 4, 0}}, h.Outline())
}

func TestRange(t *testing.T) {
	for name, tt := range map[string]struct {
		heat      Heat
		low, high float64
	}{
		"of the values": {Heat{Values: [][]float64{{1, math.NaN()}, {3, 2}}}, 1, 3},
		"its own":       {Heat{Values: [][]float64{{7}}, Min: -1, Max: 1}, -1, 1},
		"one value":     {Heat{Values: [][]float64{{7, 7}}}, 6.5, 7.5},
	} {
		low, high := tt.heat.Range()
		require.Equal(t, []float64{tt.low, tt.high}, []float64{low, high}, name)
	}
}
