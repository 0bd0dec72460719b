// Package meter draws a part of a whole as a bar.
package meter

import (
	"math"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Bar draws the part of a whole in a width of cells. Only a whole that is
// reached fills the bar, and only nothing leaves it empty.
func Bar(t theme.Theme, part, whole, width int) string {
	if whole <= 0 || width <= 0 {
		return ""
	}
	full := int(math.Round(float64(width) * float64(part) / float64(whole)))
	switch {
	case part <= 0:
		full = 0
	case part >= whole:
		full = width
	default:
		full = min(max(full, 1), width-1)
	}
	return t.Good.Render(strings.Repeat("█", full)) + t.Faint.Render(strings.Repeat("░", width-full))
}
