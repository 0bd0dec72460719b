package figure

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

func TestRender(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{1, 0, math.NaN()}
	for name, figures := range map[string][]*Figure{
		"lines":          {New("t", "x", "y").Line("a", x, y).Points("b", x, x).Level("c", 2)},
		"nothing to log": {New("t", "x", "y").LogY().Line("a", x, []float64{0, -1, math.Inf(1)}).LimitY(1, 10)},
		"bars":           {New("t", "x", "y").Bars("a", x, 0, 2).Bars("b", x, 1, 2).NamesX("a", "", "c")},
		"heat maps":      {New("t", "x", "y").Heat([][]float64{{0, 1, 2}, {3, 4, math.NaN()}}, 0, 4), New("t", "x", "y").Balance([][]float64{{-1, 1}}, 1)},
		"histogram":      {New("t", "x", "y").Histogram("a", []float32{0, 0.5, 9}, 0, 1, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := Render(200, figures...)
			require.NoError(t, err)
			again, err := Render(200, figures...)
			require.NoError(t, err)
			require.Equal(t, data, again, "a picture must not change from run to run")
			img, err := png.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			require.Greater(t, img.Bounds().Dx(), img.Bounds().Dy())
		})
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name      string
		ticker    plot.Ticker
		low, high float64
		want      []string
	}{
		{"round", round{}, 0, 20, []string{"0", "2", "4", "6", "8", "10", "12", "14", "16", "18", "20"}},
		{"negative", round{}, -1, 1, []string{"-1", "-0.8", "-0.6", "-0.4", "-0.2", "0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{"whole", whole{}, -0.5, 2.5, []string{"0", "1", "2"}},
		{"powers", powers{2}, -6, 2, []string{"1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1", "10", "100"}},
		{"one power", powers{2}, 0, 1, []string{"1", "2", "5", "10"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var labels []string
			for _, tick := range tt.ticker.Ticks(tt.low, tt.high) {
				if tick.Label != "" {
					labels = append(labels, tick.Label)
				}
			}
			require.Equal(t, tt.want, labels)
		})
	}
}

func TestRampEnds(t *testing.T) {
	r := New("", "", "").Heat([][]float64{{0}}, 0, 1).bar
	require.Equal(t, r.colours[0], r.at(-5))
	require.Equal(t, r.colours[len(r.colours)-1], r.at(5))
}
