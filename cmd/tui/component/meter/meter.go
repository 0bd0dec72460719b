// Package meter draws a part of a whole as a bar.
package meter

import (
	"math"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Bar draws the part of a whole in a width of cells. Only a whole that is
// reached fills the bar, and only nothing leaves it empty.
func Bar(t theme.Theme, part, whole, width int) string {
	if whole <= 0 || width <= 0 {
		return ""
	}
	full := cells(part, whole, width)
	return t.Good.Render(strings.Repeat("█", full)) + t.Faint.Render(strings.Repeat("░", width-full))
}

// Line draws the part of a whole as a thin line in a style, so that many of them
// can stand below one another.
func Line(t theme.Theme, style lipgloss.Style, part, whole, width int) string {
	if whole <= 0 || width <= 0 {
		return ""
	}
	full := cells(part, whole, width)
	return style.Render(strings.Repeat("━", full)) + t.Faint.Render(strings.Repeat("·", width-full))
}

// cells is how many of a width of cells are full.
func cells(part, whole, width int) int {
	switch {
	case part <= 0:
		return 0
	case part >= whole:
		return width
	}
	return min(max(int(math.Round(float64(width)*float64(part)/float64(whole))), 1), width-1)
}
