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

// A character that takes two cells does not move what stands behind it.
func TestRuler(t *testing.T) {
	r := newRuler(12)
	r.put(1, "词元")
	r.put(6, "key")
	require.Equal(t, " 词元 key", r.String())
	require.Equal(t, "词 元", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 6))
	require.Equal(t, "词", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 4), "half a character is none")
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

// In colour, cells are filled from the dark to the light end of the scale, two rows
// in a line where there is no room for a line each; without, there are five greys.
func TestHeat(t *testing.T) {
	colour, plain := lipgloss.NewRenderer(io.Discard), lipgloss.NewRenderer(io.Discard)
	colour.SetColorProfile(termenv.TrueColor)
	plain.SetColorProfile(termenv.Ascii)
	few := chart.Panel{Heat: &chart.Heat{Label: "weight", Values: [][]float64{{0, 1}, {0.5, math.NaN()}}}}
	require.Equal(t, []string{"", " ······███", " ▒▒▒   ", " ", " ", "weight: 0 ····░░░░▒▒▒▒▓▓▓▓████ 1"},
		heat(theme.New(plain), chart.Panel{Heat: &chart.Heat{Label: "weight", Values: [][]float64{{0, 0, 1}, {0.5, math.NaN()}}}}, 40, 20)[:6:6])
	lines := strings.Join(heat(theme.New(colour), few, 40, 20), "\n")
	require.Contains(t, lines, "38;2;68;1;84m███", "the low end")
	require.Contains(t, lines, "38;2;253;231;36m███", "the high end")
	tall := chart.Panel{Heat: &chart.Heat{Values: make([][]float64, 64)}}
	for i := range tall.Heat.Values {
		tall.Heat.Values[i] = []float64{float64(i), 63 - float64(i)}
	}
	lines = strings.Join(heat(theme.New(colour), tall, 40, 20), "\n")
	require.Regexp(t, `38;2;68;1;84;48;2;\d+;\d+;\d+m▀`, lines)
	require.NotContains(t, lines, "·")
}
