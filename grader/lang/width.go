package lang

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// Width returns how many columns a terminal gives to a text: two for a Chinese
// character, none for a mark that combines with the one before it. Characters
// that East Asian and Western fonts see differently, such as √ and ε, count as
// one column, as terminals count them. Colours take none.
func Width(text string) int { return displaywidth.String(unpainted(text)) }

// paint matches what turns a colour on or off.
var paint = regexp.MustCompile("\x1b\\[[0-9;]*m")

func unpainted(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	return paint.ReplaceAllString(text, "")
}

// Wide reports whether a character takes two columns, as Chinese ones do.
func Wide(r rune) bool { return displaywidth.Rune(r) == 2 }

// Pad fills a text with spaces up to a width.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Width(text)))
}

// Cut cuts a text without colours to a width and marks that with an ellipsis.
func Cut(text string, columns int) string {
	return displaywidth.TruncateString(text, max(0, columns), "…")
}

// Wrap breaks a text into lines of at most the given width, between words and
// between Chinese characters. A word that is wider stays whole.
func Wrap(text string, columns int) []string { return wrap(text, columns, 0) }

// wrap is Wrap with what goes on below indented by hang.
func wrap(text string, columns, hang int) []string {
	lines, used := []string{""}, 0
	for _, piece := range Pieces(strings.ReplaceAll(text, "\n", " ")) {
		last := &lines[len(lines)-1]
		if endsWide(*last) { // a mark that brings its own space
			*last = strings.TrimRight(*last, " ")
			used = Width(*last)
		}
		if strings.TrimLeft(*last, " ") != "" && used+Width(strings.TrimRight(piece, " ")) > columns {
			*last = strings.TrimRight(*last, " ")
			lines, used = append(lines, strings.Repeat(" ", hang)), hang
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
	last, first := lastRune(before), firstRune(after)
	return last == ' ' || Wide(last) || Wide(first)
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}
