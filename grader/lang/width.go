package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// Width returns how many columns a terminal gives to a text: two for a Chinese
// character, none for a mark that combines with the one before it. Characters
// that East Asian and Western fonts see differently, such as √ and ε, count as
// one column, as terminals count them.
func Width(text string) int { return displaywidth.String(text) }

// Wide reports whether a character takes two columns, as Chinese ones do.
func Wide(r rune) bool { return displaywidth.Rune(r) == 2 }

// Pad fills a text with spaces up to a width.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Width(text)))
}

// Wrap breaks a text into lines of at most the given width, between words and
// between Chinese characters. A word that is wider stays whole.
func Wrap(text string, columns int) []string {
	lines, used := []string{""}, 0
	for _, piece := range Pieces(strings.ReplaceAll(text, "\n", " ")) {
		last := &lines[len(lines)-1]
		if endsWide(*last) { // a mark that brings its own space
			*last = strings.TrimRight(*last, " ")
			used = Width(*last)
		}
		if *last != "" && used+Width(strings.TrimRight(piece, " ")) > columns {
			*last = strings.TrimRight(*last, " ")
			lines, used = append(lines, ""), 0
			last = &lines[len(lines)-1]
		}
		*last += piece
		used += Width(piece)
	}
	last := &lines[len(lines)-1]
	*last = strings.TrimRight(*last, " ")
	return lines
}

// endsWide reports whether a text ends in a Chinese mark of punctuation and a space.
func endsWide(text string) bool {
	mark := strings.TrimRight(text, " ")
	r, _ := utf8.DecodeLastRuneInString(mark)
	return mark != text && Wide(r) && unicode.IsPunct(r)
}

// Pieces cuts a text where a line may end: behind spaces, and beside Chinese
// characters where Unicode's rules for breaking lines (UAX #14) allow it, which
// part no character from its punctuation. Together the pieces are the text.
func Pieces(text string) []string {
	var all []string
	for state := -1; text != ""; {
		var piece string
		piece, text, _, state = uniseg.FirstLineSegmentInString(text, state)
		if last := len(all) - 1; last >= 0 && !mayEnd(all[last], piece) {
			all[last] += piece
		} else {
			all = append(all, piece)
		}
	}
	return all
}

// mayEnd reports whether a line may end between two pieces: a formula or a path
// stays whole, whatever marks it holds.
func mayEnd(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return last == ' ' || Wide(last) || Wide(first)
}
