package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A browser reads CRLF as LF before it compares a style or a script with the page's policy:
// the page holds none, and is the same wherever its parts were checked out.
func TestLineEnds(t *testing.T) {
	const style, script, content = "a {\n}\n", "let a;\nlet b;\n", "<p>\n{{.}}</p>\n"
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	want, err := Page{Style: style, Script: script}.Fill(content, "x")
	require.NoError(t, err)
	got, err := Page{Style: windows(style), Script: windows(script)}.Fill(windows(content), "x")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.NotContains(t, string(got), "\r")
}
