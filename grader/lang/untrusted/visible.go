package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes a text that a model has written fit for a terminal. Control
// characters, which would move the cursor, colour, beep or change a title, are shown
// as the signs that Unicode has for them (␛, ␇, ␍), each as one character, and bytes
// that are no text as U+FFFD. Line ends, also "\r\n", and tabs stay what they are.
func Visible(text string) string {
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			out.WriteRune(r)
		case r < ' ':
			out.WriteRune('␀' + r)
		case r == 0x7f:
			out.WriteRune('␡')
		case unicode.IsControl(r):
			out.WriteRune(utf8.RuneError)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
