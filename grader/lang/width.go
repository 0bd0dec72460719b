package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width is how many columns a terminal gives to a text: two for a Chinese
// character, none for a mark that combines with the one before it. Characters
// that East Asian and Western fonts see differently, such as √ and ε, are
// counted as one column, as terminals do.
func Width(text string) int {
	columns := 0
	for _, r := range text {
		columns += columnsOf(r)
	}
	return columns
}

func columnsOf(r rune) int {
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	if Wide(r) {
		return 2
	}
	return 1
}

// Wide tells whether a character takes two columns, as Chinese ones do.
func Wide(r rune) bool {
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

// Pad fills a text with spaces up to a width.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Width(text)))
}

// Wrap breaks a text into lines of at most the given width, between words and
// between Chinese characters. A text that fits keeps its spaces.
func Wrap(text string, columns int) []string {
	if Width(text) <= columns && !strings.Contains(text, "\n") {
		return []string{text}
	}
	lines := []string{""}
	used := 0
	for _, word := range strings.Fields(text) {
		for i, part := range parts(word) {
			last := &lines[len(lines)-1]
			space := ""
			if i == 0 && *last != "" && !endsWide(*last) {
				space = " "
			}
			if n := Width(part) + len(space); *last == "" || used+n <= columns {
				*last += space + part
				used += n
				continue
			}
			lines, used = append(lines, part), Width(part)
		}
	}
	return lines
}

// Punctuation that may not stand at the beginning of a line, and at its end.
const (
	Closing = "，。：；？！、」』）》…,.:;?!)]}"
	Opening = "「『（《([{"
)

// endsWide tells whether a line ends in a mark that brings its own space.
func endsWide(line string) bool {
	r, _ := utf8.DecodeLastRuneInString(line)
	return Wide(r) && strings.ContainsRune(Closing, r)
}

// parts cuts a word where a line may end: before and after each Chinese
// character, but not before a closing mark and not after an opening one.
func parts(word string) []string {
	var all []string
	var before rune
	for _, r := range word {
		together := before == 0 || strings.ContainsRune(Closing, r) || strings.ContainsRune(Opening, before) || !Wide(r) && !Wide(before)
		if together && len(all) > 0 {
			all[len(all)-1] += string(r)
		} else {
			all = append(all, string(r))
		}
		before = r
	}
	return all
}
