package untrusted_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"The Rays of Light,\n\tré 光 👩‍🔬 \u200f\n", "The Rays of Light,\n\tré 光 👩‍🔬 \u200f\n"},
		{"\x1b[31mred\x1b[0m \x1b]0;title\a", "␛[31mred␛[0m ␛]0;title␇"},
		{"one\r\ntwo\rthree\r", "one\r\ntwo␍three␍"},
		{"\x00\x08\x0b\x0c\x1f\x7f", "␀␈␋␌␟␡"},
		{"\u009b2J\u0085", "�2J�"}, // two of the second set, for which there are no signs
		{"\x9b2J\xe2\x82", "�2J��"},
	} {
		require.Equal(t, c.want, untrusted.Visible(c.text), "%q", c.text)
		require.Equal(t, utf8.RuneCountInString(c.text), utf8.RuneCountInString(untrusted.Visible(c.text)), "%q", c.text)
	}
}
