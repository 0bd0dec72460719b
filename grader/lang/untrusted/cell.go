package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cell keeps a spreadsheet from taking a text in a table for a formula.
func Cell(text string) string {
	if Formula(text) {
		return "'" + text
	}
	return text
}

// Formula reports whether a spreadsheet might take a text for a formula: some pass
// over spaces, and know wide signs.
func Formula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace))
	return text != "" && (strings.ContainsRune("=+-@＝＋－＠", first) || strings.ContainsRune("\t\r\n", rune(text[0])))
}
