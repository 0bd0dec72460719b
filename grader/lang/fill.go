package lang

import "strings"

// Fill breaks the lines of a text that are wider than the given width. What goes
// on below a line begins under its last column of text, which two spaces set off,
// or else under its first word. A command stays whole: it is there to be copied.
func Fill(text string, columns int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if Width(line) <= columns || isCommand(line) {
			lines = append(lines, line)
			continue
		}
		lines = append(lines, wrap(line, columns, hang(unpainted(line), columns))...)
	}
	return strings.Join(lines, "\n")
}

// isCommand reports whether a line holds a command and nothing else.
func isCommand(line string) bool {
	words := strings.TrimLeft(line, " ")
	return words != line && (strings.HasPrefix(words, "go ") || strings.HasPrefix(words, "grade "))
}

// hang returns where the last column of a line's text begins, if enough of the
// width is left there.
func hang(line string, columns int) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	for end := len(line); ; {
		gap := strings.LastIndex(line[:end], "  ")
		if gap < indent {
			return min(indent, columns/2)
		}
		if at := Width(line[:gap+2]); at <= columns*2/3 {
			return at
		}
		end = gap
	}
}

// Join puts the lines of paragraphs together again that were broken because the
// next word did not fit into 80 columns. Lines that are indented, or end early,
// stay lines.
func Join(text string) string {
	const full = 70
	var b strings.Builder
	before := ""
	for i, line := range strings.Split(text, "\n") {
		word, _, _ := strings.Cut(line, " ")
		switch {
		case i == 0:
		case before == "" || word == "" || before[0] == ' ' || Width(before)+1+Width(word) <= full:
			b.WriteByte('\n')
		case Wide(lastRune(before)) || Wide(firstRune(line)):
		default:
			b.WriteByte(' ')
		}
		b.WriteString(line)
		before = line
	}
	return b.String()
}
