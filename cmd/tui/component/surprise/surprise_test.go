package surprise

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

func look(profile termenv.Profile) theme.Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	return theme.New(r)
}

// A colour follows its character over the end of a line, and what was not foretold
// has none.
func TestLines(t *testing.T) {
	c := look(termenv.TrueColor)
	nats := []float64{math.NaN(), 0.1, 0.1, 0.1, 5, 5, 0.6, 1, 2, 4}
	lines := Lines(c, "ab c\nde fg", nats, 4)
	require.Equal(t, []string{
		"a" + c.Surprise[0].Render("b c"),
		c.Surprise[4].Render("d") + c.Surprise[1].Render("e"),
		c.Surprise[3].Render("f") + c.Surprise[4].Render("g"),
	}, []string{lines[0], lines[1], strings.TrimLeft(lines[2], " ")})
	require.Equal(t, []string{"ab"}, Lines(c, "ab", nil, 9), "nothing is known")
	require.Equal(t, []string{c.Surprise[4].Render("␛") + c.Surprise[0].Render("[2J␇")}, Lines(c, "\x1b[2J\a", []float64{5, 0, 0, 0, 0}, 9))
}

func TestLegend(t *testing.T) {
	require.Empty(t, Legend(look(termenv.Ascii), lang.Printer{}, 80))
	lines := Legend(look(termenv.TrueColor), lang.Printer{}, 90)
	require.Len(t, lines, 1)
	require.Contains(t, ansi.Strip(lines[0]), "p above 61 %   ■ 61 to 37 %   ■ to 14 %")
}

// Each bound is the probability that the legend names.
func TestBounds(t *testing.T) {
	for i, percent := range []float64{61, 37, 14, 2} {
		require.InDelta(t, percent, 100*math.Exp(-bounds[i]), 0.5)
	}
}
