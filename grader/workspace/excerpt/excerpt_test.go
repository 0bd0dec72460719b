package excerpt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package linear

// √ of 甲
func f() {
	x := g(1,	2)
}
`

func TestOf(t *testing.T) {
	long := "package a\n\tx = " + strings.Repeat("a + ", 60) + "b\n"
	for _, c := range []struct {
		name         string
		source       string
		line, column int
		want         string
	}{
		{"in the middle", source, 4, 6, `
  2 |
  3 | // √ of 甲
> 4 | func f() {
    |      ^
  5 |     x := g(1,    2)
  6 | }`},
		{"behind tabs", source, 5, 12, `
  3 | // √ of 甲
  4 | func f() {
> 5 |     x := g(1,    2)
    |                  ^
  6 | }`},
		{"columns are bytes, carets are not", source, 3, 11, `
  1 | package linear
  2 |
> 3 | // √ of 甲
    |         ^
  4 | func f() {
  5 |     x := g(1,    2)`},
		{"no column", source, 1, 0, `
> 1 | package linear
  2 |
  3 | // √ of 甲`},
		{"behind the end of the line", source, 6, 2, `
  4 | func f() {
  5 |     x := g(1,    2)
> 6 | }
    |  ^`},
		{"a column that is not there", source, 6, 99, `
  4 | func f() {
  5 |     x := g(1,    2)
> 6 | }
    |  ^`},
		{"Windows", "a\r\nb\r\n", 1, 1, `
> 1 | a
    | ^
  2 | b`},
		{"what a terminal would obey", "a \x1b[31mred\n", 1, 0, "\n> 1 | a red"},
		{"too long", long, 2, 1, "\n  1 | package a\n> 2 |     x = " + strings.Repeat("a + ", 13) + "a +…\n    | ^"},
		{"no such line", source, 7, 1, "\n"},
		{"line 0", source, 0, 1, "\n"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, "\n"+Of([]byte(c.source), c.line, c.column)) })
	}
}

// Of a line that is too long, the part around the caret is shown.
func TestOfFarRight(t *testing.T) {
	text := Of([]byte(strings.Repeat("a", 200)+"X"+strings.Repeat("b", 200)), 1, 201)
	lines := strings.Split(text, "\n")
	require.Len(t, lines, 2)
	require.Equal(t, "X", string([]rune(lines[0])[len([]rune(lines[1]))-1]))
	require.True(t, strings.HasPrefix(lines[0], "> 1 | …aaa") && strings.HasSuffix(lines[0], "bbb…"), text)
}
