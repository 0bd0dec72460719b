package course_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
)

// Whether the mistakes are caught and named, grade dev mutate tells.
func TestMistakesAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	for _, s := range course.Steps() {
		t.Run(s.ID, func(t *testing.T) {
			require.GreaterOrEqual(t, len(s.Mistakes), 10)
			seen := map[string]bool{}
			for _, m := range s.Mistakes {
				require.Regexp(t, id, m.ID)
				require.NotEmpty(t, m.Why, m.ID)
				require.NotEmpty(t, m.Hint, m.ID)
				require.NotRegexp(t, `^$|^(The|An?|Your?|It) |\.$`, m.Title, "%s: the title goes on after “… what you get when”", m.ID)
				file := m.File
				if !strings.Contains(file, "/") {
					file = s.Folder + "/" + file
				}
				text, err := os.ReadFile(filepath.Join("..", "..", "solutions", filepath.FromSlash(file)))
				require.NoError(t, err)
				for _, v := range m.Versions() {
					require.False(t, seen[v.ID], "%s exists twice", v.ID)
					seen[v.ID] = true
					changed := string(text)
					for _, e := range v.Edits {
						require.Equal(t, 1, strings.Count(changed, e.Old), "%s: %q", v.ID, e.Old)
						changed = strings.Replace(changed, e.Old, e.New, 1)
					}
					require.NotEqual(t, string(text), changed, v.ID)
				}
			}
		})
	}
}
