package engine_test

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// In a rendered lesson an item's words stand below one another, and a link says
// where it leads, in one piece.
func TestRender(t *testing.T) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	for name, tt := range map[string]struct {
		markdown string
		lines    []string
	}{
		"an item":              {"- one two three four five six", []string{"• one two three four", "  five six"}},
		"numbers":              {"1. one two three four five\n2. six", []string{"1. one two three four", "   five", "2. six"}},
		"a number ends a line": {"3. one two three fours 9. six seven", []string{"3. one two three fours", "   9. six seven"}},
		"code in one piece":    {"one two three `a.b-c+d.e.f`", []string{"one two three", "a.b-c+d.e.f"}},
		"prose":                {"one two three four five six", []string{"one two three four", "five six"}},
		"behind a list":        {"- one\n\nprose", []string{"• one", "", "prose"}},
		"another step":         {"[step 03](../step03_x/README.md)", []string{"step 03", "(steps/step03_x/README.md)"}},
		"a picture":            {"![falls](../../docs/a-b.svg)", []string{"falls → docs/a-b.svg"}},
		"an address":           {"see <https://a.org/b-c.html>", []string{"see", "https://a.org/b-c.html"}},
		"no link":              {"`x[i](../y)`", []string{"x[i](../y)"}},
	} {
		got, err := engine.Render(engine.Links(tt.markdown, "step02_linear"), theme.New(r), 30)
		require.NoError(t, err)
		var lines []string
		for line := range strings.Lines(strings.Trim(got, " \n")) {
			lines = append(lines, strings.TrimSpace(line[:min(len(line), 2)])+strings.TrimRight(line[min(len(line), 2):], " \n"))
		}
		require.Equal(t, tt.lines, lines, name)
	}
}
