package lang

import (
	"math"
	"strings"
)

// Bar draws a share of a width, from 0 to 1, in eighths of a column. What is more
// than nothing is at least one of them.
func Bar(share float64, columns int) string {
	if !(share > 0) || columns <= 0 {
		return ""
	}
	const eighths = "▏▎▍▌▋▊▉█"
	n := max(1, int(math.Round(min(share, 1)*float64(8*columns))))
	bar := strings.Repeat("█", n/8)
	if rest := n % 8; rest > 0 {
		bar += string([]rune(eighths)[rest-1])
	}
	return bar
}
