package lang_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

func TestFill(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"what fits stays":                {"one\n  two\n", 6, "one\n  two\n"},
		"below the first word":           {"one two", 5, "one\ntwo"},
		"an indent stays":                {"  one two three", 9, "  one two\n  three"},
		"below the last column":          {"a  bb  one two three", 12, "a  bb  one\n       two\n       three"},
		"a column too far right":         {"a  bbbbbbbbbbb  one", 12, "a\n   bbbbbbbbbbb\n   one"},
		"a command is copied":            {"  go run ./cmd/grade hint", 12, "  go run ./cmd/grade hint"},
		"no command":                     {"go on and on", 8, "go on\nand on"},
		"colours take no room":           {"a  \x1b[31mone two\x1b[0m three", 10, "a  \x1b[31mone two\x1b[0m\n   three"},
		"Chinese, below its last column": {"甲  残差和归一化", 10, "甲  残差和\n    归一化"},
		"an empty line":                  {"\n", 3, "\n"},
	} {
		require.Equal(t, tt.want, lang.Fill(tt.text, tt.width), name)
	}
}

func TestJoin(t *testing.T) {
	long := strings.Repeat("word ", 14) + "end" // 73 columns
	for name, tt := range map[string]struct{ text, want string }{
		"a full line":          {long + "\nmore", long + " more"},
		"a short line":         {"short.\nmore", "short.\nmore"},
		"an example":           {long + "\n  grade step01", long + "\n  grade step01"},
		"behind an example":    {"  " + long + "\nmore", "  " + long + "\nmore"},
		"another paragraph":    {long + "\n\nmore", long + "\n\nmore"},
		"Chinese has no space": {strings.Repeat("残", 38) + "\n差", strings.Repeat("残", 38) + "差"},
	} {
		require.Equal(t, tt.want, lang.Join(tt.text), name)
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "", 0.001: "▏", 0.25: "█", 0.3: "█▎", 0.5: "██", 1: "████", 3: "████"} {
		require.Equal(t, want, lang.Bar(share, 4), "%g", share)
	}
	require.Empty(t, lang.Bar(math.NaN(), 4))
}

// A printer tells in its width, prose in no more than its measure.
func TestPrinterWidth(t *testing.T) {
	prose := strings.Repeat("word ", 60)
	for columns, want := range map[int]int{60: 60, 80: 80, 200: 100} {
		var b strings.Builder
		lang.Printer{}.Within(columns).Tell(&b, "%s\n", prose)
		widest := 0
		for line := range strings.Lines(b.String()) {
			widest = max(widest, lang.Width(strings.TrimRight(line, "\n")))
		}
		require.LessOrEqual(t, widest, want)
		require.Greater(t, widest, want-len("word "))
	}
	var b strings.Builder
	lang.Printer{}.Tell(&b, "%s", prose)
	require.Equal(t, prose, b.String(), "a pipe has no width")
}
