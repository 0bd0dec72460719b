// Package text lays out words in a width that is counted in terminal cells.
package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stubformer/stubformer/grader/lang"
)

// Wrap breaks a text between words and between Chinese characters, and inside
// words that are too long, into lines of at most width cells. Every line of the
// text stays a line, and what is broken off it is indented as the line is. A
// text must not be styled yet: style the lines.
func Wrap(text string, width int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		rest := strings.TrimLeft(line, " ")
		indent := min(len(line)-len(rest), max(0, width/2))
		room := max(1, width-indent)
		for _, part := range lang.Wrap(rest, room) {
			for piece := range strings.SplitSeq(ansi.Hardwrap(part, room, true), "\n") {
				lines = append(lines, strings.Repeat(" ", indent)+strings.TrimRight(piece, " "))
			}
		}
	}
	return lines
}

// Flow puts items side by side in as many lines as they need. An item that is
// wider than a line alone is cut.
func Flow(items []string, width int) []string {
	const gap = "   "
	var lines []string
	line := ""
	for _, item := range items {
		switch {
		case line == "":
			line = item
		case Width(line)+len(gap)+Width(item) <= width:
			line += gap + item
		default:
			lines, line = append(lines, Cut(line, width)), item
		}
	}
	if line == "" {
		return lines
	}
	return append(lines, Cut(line, width))
}

// Beside puts two blocks of lines side by side: the left one in a width, then
// what stands between them, then the right one.
func Beside(left, right []string, width int, between string) []string {
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		lines[i] = Pad(at(left, i), width) + between + at(right, i)
	}
	return lines
}

// Entry writes a label in a column of the given width and a wrapped text
// beside it.
func Entry(label string, column int, text string, width int) []string {
	lines := Wrap(text, max(8, width-column))
	for i := range lines {
		lines[i] = Pad(label, column) + lines[i]
		label = ""
	}
	return lines
}

// Pad fills a text with spaces to a width, or cuts it to that width.
func Pad(text string, width int) string {
	text = Cut(text, width)
	return text + strings.Repeat(" ", max(0, width-Width(text)))
}

// Right is Pad with the text at the right end.
func Right(text string, width int) string {
	text = Cut(text, width)
	return strings.Repeat(" ", max(0, width-Width(text))) + text
}

// Cut cuts a text to a width and marks that with an ellipsis.
func Cut(text string, width int) string { return ansi.Truncate(text, max(0, width), "…") }

// Width returns how many cells a text takes: as lang.Width, but a text may be
// styled, and styles take none.
func Width(text string) int { return ansi.StringWidth(text) }

// Spread puts one text at the left and one at the right end of a line. If both
// do not fit, the left one is cut.
func Spread(left, right string, width int) string {
	room := width - Width(right) - 2
	if room <= 0 {
		return Cut(right, width)
	}
	return Pad(left, room) + "  " + right
}

// Block makes lines exactly as many as height: it cuts or adds empty ones. It
// cuts each to a width.
func Block(lines []string, width, height int) string {
	out := make([]string, max(0, height))
	for i := range out {
		if i < len(lines) {
			out[i] = Cut(lines[i], width)
		}
	}
	return strings.Join(out, "\n")
}
