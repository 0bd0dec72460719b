package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
)

func TestWrap(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		width int
		lines []string
	}{
		"nothing":                   {"", 10, nil},
		"between words":             {"one two three", 8, []string{"one two", "three"}},
		"lines stay lines":          {"one\n\ntwo\n", 8, []string{"one", "", "two"}},
		"what follows is indented":  {"  one two", 6, []string{"  one", "  two"}},
		"a tab is four spaces":      {"\tx", 8, []string{"    x"}},
		"a word that is too long":   {"abcdefgh", 3, []string{"abc", "def", "gh"}},
		"between Chinese":           {"  残差和，归一化", 8, []string{"  残差", "  和，归", "  一化"}},
		"a Chinese word is no word": {"用 RMSNorm归一化", 9, []string{"用", "RMSNorm归", "一化"}},
		"an indent wider than half": {"        x", 8, []string{"    x"}},
	} {
		require.Equal(t, tt.lines, text.Wrap(tt.text, tt.width), name)
	}
}

func TestColumns(t *testing.T) {
	require.Equal(t, []string{"got  one and", "     two"}, text.Entry("got", 5, "one and two", 13))
	require.Equal(t, "√x  ", text.Pad("√x", 4))
	require.Equal(t, "lo…", text.Pad("longer", 3))
	require.Equal(t, "  12", text.Right("12", 4))
	require.Equal(t, "left    right", text.Spread("left", "right", 13))
	require.Equal(t, "le…  right", text.Spread("left hand", "right", 10), "the left one gives way")
	require.Equal(t, "a\nb…\n", text.Block([]string{"a", "bcd"}, 2, 3))
}

func TestAlign(t *testing.T) {
	require.Equal(t, []text.Row{
		{Left: "a", Right: "a", Same: true},
		{Left: "mine", Right: "theirs"},
		{Left: "", Right: "more"},
		{Left: "b", Right: "b", Same: true},
		{Left: "only mine"},
	}, text.Align("a\nmine\nb\nonly mine\n", "a\r\ntheirs\nmore\nb\n"))
}

func TestFlow(t *testing.T) {
	require.Nil(t, text.Flow(nil, 9))
	require.Equal(t, []string{"a b   c", "更多"}, text.Flow([]string{"a b", "c", "更多"}, 9))
	require.Equal(t, []string{"a", "to…", "c"}, text.Flow([]string{"a", "too long", "c"}, 3))
}

// A character that takes two cells does not move what stands behind it.
func TestRuler(t *testing.T) {
	r := text.NewRuler(12)
	r.Put(1, "词元")
	r.Put(6, "key")
	require.Equal(t, " 词元 key", r.String())
}
