package shades

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// In colour, cells are filled from the dark to the light end of the scale, two rows
// in a line where there is no room for a line each; without, there are five greys.
func TestHeat(t *testing.T) {
	colour, plain := lipgloss.NewRenderer(io.Discard), lipgloss.NewRenderer(io.Discard)
	colour.SetColorProfile(termenv.TrueColor)
	plain.SetColorProfile(termenv.Ascii)
	few := chart.Panel{Heat: &chart.Heat{Label: "weight", Values: [][]float64{{0, 1}, {0.5, math.NaN()}}}}
	require.Equal(t, []string{"", " ······███", " ▒▒▒   ", " ", " ", "weight: 0 ····░░░░▒▒▒▒▓▓▓▓████ 1"},
		Lines(theme.New(plain), chart.Panel{Heat: &chart.Heat{Label: "weight", Values: [][]float64{{0, 0, 1}, {0.5, math.NaN()}}}}, 40, 20)[:6:6])
	lines := strings.Join(Lines(theme.New(colour), few, 40, 20), "\n")
	require.Contains(t, lines, "38;2;68;1;84m███", "the low end")
	require.Contains(t, lines, "38;2;253;231;36m███", "the high end")
	tall := chart.Panel{Heat: &chart.Heat{Values: make([][]float64, 64)}}
	for i := range tall.Heat.Values {
		tall.Heat.Values[i] = []float64{float64(i), 63 - float64(i)}
	}
	lines = strings.Join(Lines(theme.New(colour), tall, 40, 20), "\n")
	require.Regexp(t, `38;2;68;1;84;48;2;\d+;\d+;\d+m▀`, lines)
	require.NotContains(t, lines, "·")
}

func TestColumns(t *testing.T) {
	require.Equal(t, "词 元", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 6))
	require.Equal(t, "词", columns(&chart.Heat{Cols: []string{"词", "元"}}, 1, 3, 4), "half a character is none")
	require.Equal(t, "a·cat", columns(&chart.Heat{Cols: []string{"a", "·", "c", "a", "t"}}, 1, 1, 5), "letters may touch")
	require.Equal(t, "12  14", columns(&chart.Heat{Cols: []string{"12", "13", "14"}}, 1, 2, 6), "other names may not")
}
