package untrusted_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an honest print":     {"loss 0.5\tstep 3\nΔW = α·∇L, 损失 ≈ 0.5, naïve Tiếng Việt, हिन्दी", ""},
		"emoji":               {"👍🏽 👩‍🔬 ❤️ ❤️‍🔥 1️⃣ 🇩🇪", ""},
		"Persian":             {"می\u200cخواهم", ""},
		"Windows line ends":   {"a\r\nb", "a\nb"},
		"a progress line":     {"10%\r20%", "10%\n20%"},
		"colours":             {"\x1b[31mred\x1b[0m", "red"},
		"the clipboard":       {"\x1b]52;c;cm0gLXJm\x07x", "x"},
		"a title":             {"\x1b]0;PASS\x1b\\x", "x"},
		"a bell":              {"a\ab", "a�b"},
		"a lone escape":       {"a\x1b", "a"},
		"C1":                  {"a\u0085b", "a�b"},
		"a raw C1 byte":       {"a\x9b2Jb", "a�2Jb"},
		"backspaces":          {"0/100\b\b\b\b\b", "0/100�����"},
		"turned around":       {"\u202e001/001\u202c \u2066x\u2069\u200f", "�001/001� �x��"},
		"zero width":          {"pa\u200bss\u2060ed\ufeff\u00ad", "pa�ss�ed��"},
		"hidden in selectors": {"a\ufe01\U000e0100", "a��"},
		"invisible tags":      {"ok\U000e0041\U000e0042", "ok��"},
		"too many marks":      {"a" + strings.Repeat("\u0301", 9), "a" + strings.Repeat("\u0301", 8) + "�"},
		"a joiner alone":      {" \u200d\u200d", " ��"},
		"invisible letters":   {"\u3164\u115f", "��"},
		"not UTF-8":           {"a\xff\xfeb", "a�b"},
		"noncharacters":       {"\uffff", "�"},
		"a line separator":    {"a\u2028b", "a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.text
			}
			require.Equal(t, want, untrusted.Clean(c.text))
			require.Equal(t, want, untrusted.Clean(want), "cleaning twice is cleaning once")
		})
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("损", 7<<20)
	cut := untrusted.Text(long, 1000)
	require.Less(t, len(cut), 1100)
	require.True(t, utf8.ValidString(cut))
	require.Contains(t, cut, "more bytes)")
	require.Equal(t, "short", untrusted.Text("short", 1000))
	require.Equal(t, "a b c", untrusted.Line("a\nb\r c\x1b[2J", 1000))
	require.Less(t, len(untrusted.Line(long, 1000)), 1010)
	require.Less(t, len(untrusted.Arg(long).(string)), untrusted.MaxArg+100)
	require.Equal(t, 3, untrusted.Arg(3))
	require.Equal(t, []int64{1, 2}, untrusted.Arg([]int64{1, 2}))
	require.Contains(t, untrusted.Arg(make([]int64, 1<<20)), "… 1048512 more]")
}

// No cell is a formula to a spreadsheet.
func TestCells(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0-1", "＝1", "＋1", "－1", "＠x"} {
		require.Equal(t, "'"+text, untrusted.Cell(text))
	}
	for _, text := range []string{"", "Ada", "O'Brien", "a=b", "1", "'=1", " Ada", "Zoë"} {
		require.Equal(t, text, untrusted.Cell(text))
	}
}
