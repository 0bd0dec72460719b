package slides

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const lesson = "# Step 99: Test\n\n[简体中文](README.zh-CN.md)\n\nLetters: D d_model.\n\n" +
	"## Why\n\nRows differ in size. That is bad, by 3.5 times. Long.\n\n" +
	"## The formula\n\nTwo numbers are needed, a and b. For each row:\n\n```\ny = a·x + b\n```\n\n" +
	"![A picture](../../docs/figures/x.svg)\n\n" +
	"1. First **one**.\n2. Then two.\n\n" +
	"- **ε outside.** Much is said about it.\n- A short item. And more of it.\n\n" +
	"## Check yourself\n\n<details><summary>1. Why?</summary>\n\nBecause.\n\n```\nx\n```\n\n</details>\n\n## Empty\n\n## More\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"

func TestOf(t *testing.T) {
	deck := string(Of([]byte(lesson), "../steps/step99_test"))
	front, rest, found := strings.Cut(deck, "\n---\n\n")
	require.True(t, found)
	require.Equal(t, "---\nmarp: true\npaginate: true", front)
	all := strings.Split(rest, "---\n\n")
	require.Equal(t, []string{
		"# Step 99: Test\n\nLetters: D d_model.\n\n",
		"## Why\n\n- Rows differ in size.\n\n<!--\nRows differ in size. That is bad, by 3.5 times. Long.\n-->\n\n",
	}, all[:2])
	require.Contains(t, all[2], "For each row:\n\n```\ny = a·x + b\n```\n\n![A picture](../steps/step99_test/../../docs/figures/x.svg)")
	require.Contains(t, all[2], "<!--\nTwo numbers are needed, a and b. For each row:\n\n**ε outside.** Much is said about it.\n\nA short item. And more of it.\n-->")
	require.Contains(t, rest, "1. First **one**.\n\n2. Then two.\n\n")
	require.Contains(t, rest, "- **ε outside.**\n\n")
	require.Contains(t, rest, "- A short item.\n\n")
	require.Contains(t, rest, "## Check yourself\n\n1. Why?\n\n<!--\nBecause.\n\n```\nx\n```\n-->", "an answer is for the notes")
	require.NotContains(t, rest, "## Empty")
	require.Contains(t, rest, "| a | b |\n|---|---|\n| 1 | 2 |")
	require.NotContains(t, rest, "zh-CN")
}

// What does not fit on a slide goes on with the next, and what announces it goes along.
func TestLongSections(t *testing.T) {
	block := "Look:\n\n```\n" + strings.Repeat("line\n", 8) + "```\n\n"
	deck := string(Of([]byte("# T\n\nletters\n\n## S\n\n"+block+block), "."))
	require.Equal(t, 2, strings.Count(deck, "## S\n\nLook:\n\n```"))
}

func TestSentences(t *testing.T) {
	require.Equal(t, []string{"About 3.5 of x.", "Is it?", "Yes"}, sentences("About 3.5 of x. Is it? Yes"))
	require.Equal(t, []string{"先看这个。", "再看那个"}, sentences("先看这个。再看那个"))
	require.Equal(t, []string{"One."}, sentences("One."))
}
