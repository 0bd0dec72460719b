package untrusted_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// An order to a terminal goes whole, and nothing with it.
func TestSequences(t *testing.T) {
	for name, order := range map[string]string{
		"a colour":                   "\x1b[38;5;196m",
		"a colour with colons":       "\x1b[38:2::1:2:3m",
		"a private mode":             "\x1b[?1049h",
		"an intermediate":            "\x1b[2 q",
		"without parameters":         "\x1b[H",
		"digits in the wrong place":  "\x1b[ 1;2z",
		"a title that ends with BEL": "\x1b]0;PASS\a",
		"a title that ends with ST":  "\x1b]0;PASS\x1b\\",
		"a title of several lines":   "\x1b]0;a\nb é\a",
		"a title that is broken off": "\x1b]0;PASS\x18",
		"a link":                     "\x1b]8;;https://example.org\x1b\\",
		"a picture":                  "\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\",
		"a picture with BEL in it":   "\x1bPq\a#0\x1b\\",
		"start of string":            "\x1bXabc\x1b\\",
		"a private message":          "\x1b^abc\x1b\\",
		"a program's command":        "\x1b_Gf=100;AAAA\x1b\\",
		"a set of characters":        "\x1b(0",
		"a double line":              "\x1b#8",
		"keypad":                     "\x1b=",
		"reset":                      "\x1bc",
		"one after the other":        "\x1b[1m\x1b]0;x\a\x1b[31m\x1bc",
		"a string that ends another": "\x1b]0;x\x1b_y\x1b\\",
	} {
		require.Equal(t, "before, behind", untrusted.Clean("before,"+order+" behind"), name)
	}
	for text, want := range map[string]string{
		"a\x1b":                "a",
		"a\x1b[":               "a",
		"a\x1b[31":             "a",
		"a\x1b[31\nb":          "a\nb",
		"a\x1b[3\x1b[1mb":      "ab",
		"a\x1b]0;no end":       "a",
		"a\x1b[31é":            "aé",
		"a\x1b\x1b[mb":         "ab",
		"a\x1b[31m\x1b[0m[0mb": "a[0mb",
		"[31m":                 "[31m",
	} {
		require.Equal(t, want, untrusted.Clean(text), "%q", text)
	}
}
