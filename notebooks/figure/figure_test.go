package figure

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

func TestRender(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{1, 0, math.NaN()}
	for name, figures := range map[string][]*Figure{
		"lines":          {New("t", "x", "y").Line("a", x, y).Points("b", x, x).Level("c", 2)},
		"fewer y":        {New("t", "x", "y").Points("a", x, x[:2])},
		"nothing to log": {New("t", "x", "y").LogY().Line("a", x, []float64{0, -1, math.Inf(1)}).LimitY(1, 10)},
		"bars":           {New("t", "x", "y").Bars("a", x, 0, 2).Bars("b", x, 1, 2).NamesX("a", "", "c")},
		"heat maps":      {New("t", "x", "y").Heat([][]float64{{0, 1, 2}, {3, 4, math.NaN()}}, 0, 4), New("t", "x", "y").Balance([][]float64{{-1, 1}}, 1)},
		"histogram":      {New("t", "x", "y").Histogram("a", []float32{0, 0.5, 9}, 0, 1, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			var data, again bytes.Buffer
			require.NoError(t, render(&data, figures))
			require.NoError(t, render(&again, figures))
			require.Equal(t, data.Bytes(), again.Bytes(), "a picture must not change from run to run")
			img, err := png.Decode(&data)
			require.NoError(t, err)
			require.Greater(t, img.Bounds().Dx(), img.Bounds().Dy())
		})
	}
}

// What a cell says becomes a chart.
func TestChart(t *testing.T) {
	one := chartOf([]*Figure{New("title", "x", "y").LogY().LimitX(1, 2).NamesX("a", "", "c").Level("floor", 3)})
	require.Equal(t, "title", one.Title)
	require.Equal(t, []chart.Panel{{
		X:     chart.Axis{Label: "x", Min: 1, Max: 2, Exact: true, Ticks: []chart.Tick{{At: 0, Label: "a"}, {At: 2, Label: "c"}}},
		Y:     chart.Axis{Label: "y", Log: true},
		Marks: []chart.Mark{{Label: "floor", At: 3}},
	}}, one.Panels)
	two := chartOf([]*Figure{New("left", "", ""), New("right", "", "")})
	require.Equal(t, []string{"", "left", "right"}, []string{two.Title, two.Panels[0].Title, two.Panels[1].Title})
	require.Equal(t, 2, two.Columns)
}

// Bars of two groups stand beside each other, with room between the places.
func TestBars(t *testing.T) {
	f := New("", "", "").Bars("a", []float64{5, 7}, 0, 2).Bars("b", []float64{6, 8}, 1, 2)
	require.InDeltaSlice(t, []float64{-0.4, 0, 0.6, 1}, f.panel.Histograms[0].Edges, 1e-12)
	require.InDeltaSlice(t, []float64{0, 0.4, 1, 1.4}, f.panel.Histograms[1].Edges, 1e-12)
	require.Equal(t, []float64{5, 0, 7}, f.panel.Histograms[0].Heights)
}

// A histogram is a density: values outside count for the whole and not for a bin.
func TestHistogram(t *testing.T) {
	f := New("", "", "").Histogram("h", []float32{0, 0.25, 0.75, 9}, 0, 1, 2)
	require.Equal(t, []float64{0, 1, 1, 0.5, 0.5, 0}, f.panel.Lines[0].Y)
}
