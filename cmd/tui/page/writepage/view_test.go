package writepage

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

// While the text grows nothing below it moves.
func TestNothingMoves(t *testing.T) {
	for _, size := range [][2]int{{60, 17}, {80, 21}, {99, 40}} {
		m := New(theme.New(lipgloss.NewRenderer(io.Discard)), lang.Printer{})
		m.SetSize(size[0], size[1])
		m.Open("runs/a")
		m.Begin()
		var begins []int
		for _, words := range []int{1, 10, 30, 100, 300} {
			m.SetAnswer(Answer{Tokens: []int{0}, Pieces: []Piece{{Text: strings.Repeat("a word ", words)}}, Next: []Guess{{"a", 0.75}}, Rest: 0.25, Can: 7})
			lines := strings.Split(m.View(), "\n")
			begins = append(begins, slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "what may come next") }))
		}
		require.Positive(t, begins[0])
		require.Equal(t, slices.Repeat(begins[:1], len(begins)), begins, "%v", size)
	}
}
