package engine_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestFold(t *testing.T) {
	for name, tt := range map[string]struct {
		markdown string
		width    int
		want     string
		broken   bool
	}{
		"English is left to the renderer":   {"one two three four", 8, "one two three four", false},
		"between characters":                {"残差和归一化", 6, "残差和\n归一化", true},
		"punctuation stays with its word":   {"残差流，归一化", 6, "残差\n流，归\n一化", true},
		"an item hangs":                     {"- 残差和归一化", 8, "- 残差和\n  归一化", true},
		"an item inside an item":            {"  1. 残差和归", 9, "  1. 残差\n     和归", true},
		"a quotation":                       {"> 残差和归一化", 8, "> 残差和\n> 归一化", true},
		"bold marks keep to their words":    {"残差**流**归一", 8, "残\n差**流**归\n一", true},
		"no line begins a list":             {"残差 - 归一化", 5, "残\n差 -\n归一\n化", true},
		"a formula is broken at its spaces": {"令 y = x·W", 8, "令 y =\nx·W", true},
		"a quotation in an item":            {"- > 残差和归一", 9, "- > 残差\n  > 和归\n  > 一", true},
		"a fence in an item":                {"- x\n\n  ```\n  残差和归一化\n  ```", 6, "- x\n\n  ```\n  残差和归一化\n  ```", false},
		"a fence":                           {"```\n残差和归一化\n```", 6, "```\n残差和归一化\n```", false},
		"a table":                           {"| 残差和归一化 |\n|---|\n| 流 |", 6, "| 残差和归一化 |\n|---|\n| 流 |", false},
		"a heading":                         {"# 残差和归一化", 6, "# 残差和归一化", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, broken := engine.Fold(tt.markdown, tt.width)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.broken, broken)
		})
	}
}

// All lessons fit into narrow windows, in both languages, with and without
// colour, and lead to no lesson elsewhere.
func TestLessonsFit(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	e := engine.New(context.Background(), kit, nil, registry.Steps(), time.Now)
	defer e.Close()
	for _, language := range lang.Names() {
		p, err := lang.For(language)
		require.NoError(t, err)
		for i, width := range []int{60, 100} {
			r := lipgloss.NewRenderer(io.Discard)
			r.SetColorProfile([]termenv.Profile{termenv.Ascii, termenv.TrueColor}[i%2])
			for _, s := range registry.Steps() {
				l := e.Lesson(s, theme.New(r), p, width)().(engine.Lesson)
				require.NoError(t, l.Err)
				plain := ansi.Strip(l.Text)
				require.Equal(t, language == "zh", strings.Contains(plain, "步骤"), "the language of %s", s.ID)
				require.NotContains(t, plain, "简体中文")
				require.NotContains(t, plain, "English /README")
				require.NotContains(t, plain, "\t", "a tab would be wider than it is counted")
				for line := range strings.Lines(l.Text) {
					line = strings.TrimRight(line, " \n")
					if !strings.ContainsAny(line, "|│") { // a cell of a table
						require.NotRegexp(t, `^ *[，。；：、）」]`, ansi.Strip(line), "%s: a line begins with its own end", s.ID)
					}
					require.LessOrEqual(t, ansi.StringWidth(line), width, "%s in %s: %q", s.ID, language, line)
				}
			}
		}
	}
}
