package heatmap_test

import (
	"io"
	"math"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/component/heatmap"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

func plain() theme.Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	return theme.New(r)
}

func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		ratios []float64
		shape  []int
		width  int
		height int
		lines  []string
	}{
		"a matrix": {[]float64{0, 2, 0, 50, 1e6, math.Inf(1)}, []int{2, 3}, 40, 20,
			[]string{"where it is wrong: 2 rows × 3 columns", "  ··░░··", "  ▒▒██??",
				"· right   ░ to 10× the bound", "▒ to 1000×   █ over 1000×", "? not a finite number"}},
		"a vector": {[]float64{1, 1.5}, []int{2}, 40, 20,
			[]string{"where it is wrong: 2 elements", "  ··░░", "· right   ░ to 10× the bound"}},
		"the worst over other axes": {[]float64{0, 0, 5, 0}, []int{2, 1, 2}, 80, 20,
			[]string{"where it is wrong: 1 rows × 2 columns, the worst over the other axes", "  ░░··", "· right   ░ to 10× the bound"}},
		"too wide": {[]float64{0, 0, 0, 5, 0, 0}, []int{1, 6}, 5, 20,
			[]string{"where it is wrong: 1 rows × 6 columns, a cell is 1 × 2", "  ·░·", "· ri…", "░ to…"}},
		"too high": {[]float64{0, 0, 5, 0}, []int{4, 1}, 40, 5,
			[]string{"where it is wrong: 4 rows × 1 columns, a cell is 2 × 1", "  ··", "  ░░", "· right   ░ to 10× the bound"}},
		"a single number": {[]float64{5}, nil, 40, 20, nil},
		"a wrong shape":   {nil, []int{2, 3}, 40, 20, nil},
	} {
		require.Equal(t, tt.lines, heatmap.Errors(plain(), lang.Printer{}, tt.ratios, tt.shape, tt.width, tt.height), name)
	}
}
