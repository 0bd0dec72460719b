package lint_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// columns is how wide a line of code may be where students read it: two files side by
// side fit on a screen. A tab counts as four.
const columns = 120

// TestLinesEnd holds what students read, stubs and solutions, to the width of a page.
func TestLinesEnd(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	files := 0
	for _, folder := range []string{"steps", "solutions"} {
		err := filepath.WalkDir(filepath.Join(kit.Root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			files++
			for _, w := range wide(newline.Unix(string(source))) {
				t.Errorf("%s:%s", path, w)
			}
			return err
		})
		require.NoError(t, err)
	}
	require.Greater(t, files, 100)
}

// wide names the lines that go beyond the last column.
func wide(source string) (lines []string) {
	for i, line := range strings.Split(source, "\n") {
		if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > columns {
			lines = append(lines, fmt.Sprintf("%d: the line has %d columns; want at most %d", i+1, n, columns))
		}
	}
	return lines
}

func TestWideLinesAreSeen(t *testing.T) {
	const full = 112
	require.Empty(t, wide("\t\t"+strings.Repeat("ε", full)+"\n"))
	require.Equal(t, []string{"2: the line has 121 columns; want at most 120"}, wide("\n\t\t"+strings.Repeat("ε", full+1)))
}
