package chart

import (
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
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

// Where lines meet, a character has the colour of one of them and shows the dots
// of that one alone; in the legend each has the colour that it has in the panel.
func TestColours(t *testing.T) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	look := theme.New(r)
	x, flat, steep := make([]float64, 50), make([]float64, 50), make([]float64, 50)
	for i := range x {
		x[i], flat[i], steep[i] = float64(i), 10, float64(i%20)
	}
	p := chart.Panel{Lines: []chart.Line{{Name: "batch", X: x, Y: steep, Faint: true}, {Name: "mean", X: x, Y: flat}}}
	lines := curves(look, p, 60, 20)
	mean := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(look.Line(1).Render("x"), "x\x1b[0m"))+"([\u2800-\u28ff]+)").FindAllStringSubmatch(strings.Join(lines, "\n"), -1)
	dots := 0
	for _, m := range mean {
		for _, c := range m[1] {
			dots++
			require.Contains(t, "⠉⠒⠤⣀", string(c), "the flat line has one dot in each column")
		}
	}
	require.Greater(t, dots, 50, "nothing stands before the mean")
	legend := lines[len(lines)-1]
	require.Contains(t, legend, look.Faint.Render("batch"))
	require.Contains(t, legend, look.Line(1).Render("mean"))
}
