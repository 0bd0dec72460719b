package mistake

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/grader/course/registry"
)

// accuses matches what is said of a program that is wrong.
var accuses = regexp.MustCompile(`\w\?( |$)|\b(is|are|was) (wrong|forgotten|to blame)\b|\bmistake\b|^Nothing to\b`)

// A report shows a title as the cause and a hint as its fix. So a title is a clause, which begins in lower
// case or with a name of the code, and has no full stop; and a hint says what is right or what to do, and
// neither asks nor says what is wrong.
func TestTitlesAreCausesAndHintsFixes(t *testing.T) {
	solutions, err := Solutions(root)
	require.NoError(t, err)
	var code strings.Builder
	for _, text := range solutions {
		code.Write(text)
	}
	named := map[string]bool{"W₀": true}
	for _, name := range regexp.MustCompile(`[\pL_]\w*`).FindAllString(code.String(), -1) {
		named[name] = true
	}
	for _, s := range registry.Steps() {
		mistakes, err := Load(root, s.Folder)
		require.NoError(t, err)
		for _, m := range mistakes {
			first, _, _ := strings.Cut(m.Title, " ")
			require.False(t, unicode.IsUpper([]rune(first)[0]) && !named[strings.TrimSuffix(strings.TrimRight(first, ",:"), "'s")], "%s: %s: an order? %q", s.ID, m.ID, m.Title)
			require.NotRegexp(t, `[.?!]$`, m.Title, "%s: %s", s.ID, m.ID)
			require.NotRegexp(t, accuses, m.Hint, "%s: %s", s.ID, m.ID)
			require.NotEqual(t, m.Title, strings.TrimRight(m.Hint, "."), "%s: %s", s.ID, m.ID)
		}
	}
}
