package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// The notes for teachers speak of mistakes that the catalogue has.
func TestTeachersMistakesExist(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	notes, err := os.ReadFile(filepath.Join(kit.Root, "docs", "teaching.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| (\\d\\d) \\|").FindAllStringSubmatch(string(notes), -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		step, err := course.Find(registry.Steps(), row[2])
		require.NoError(t, err)
		all, err := mistake.Load(kit.Root, step.Folder)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(all, func(m mistake.Mistake) bool { return m.ID == row[1] }), "step %s has no mistake %s", row[2], row[1])
	}
}

func TestMistakes(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	step, err := course.Find(registry.Steps(), "linear")
	require.NoError(t, err)
	require.Empty(t, lintMistakes(kit, step))

	kit.Root = t.TempDir() // which holds none
	problems := lintMistakes(kit, step)
	require.Contains(t, problems[0], "has 0 mistakes in grader/course/step02_linear/mistakes; want at least 10")
	require.Contains(t, problems[1], "says something else of ")
}

func TestOtherWords(t *testing.T) {
	step := &course.Step{ID: "step05", Folder: "step05_swiglu"}
	words := diagnose.Words{Title: "title", Why: "why", Hint: "hint"}
	other := words
	other.Hint = "another hint"
	for name, c := range map[string]struct {
		stored, now map[string]diagnose.Words
		want        []string
	}{
		"the same": {map[string]diagnose.Words{"a": words}, map[string]diagnose.Words{"a": words}, nil},
		"changed":  {map[string]diagnose.Words{"a": words, "b": words}, map[string]diagnose.Words{"a": other, "b": words}, []string{"a"}},
		"new":      {map[string]diagnose.Words{}, map[string]diagnose.Words{"a": words}, []string{"a"}},
		"gone":     {map[string]diagnose.Words{"a": words}, nil, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			problems := otherWords(step, c.stored, c.now)
			require.Len(t, problems, len(c.want))
			for i, id := range c.want {
				require.Contains(t, problems[i], "fixtures/step05_swiglu/mistakes.json says something else of "+id+" than")
				require.Contains(t, problems[i], "grade dev mutate step05 --words")
			}
		})
	}
}

// Two versions that are said in the same words are named.
func TestSameTitles(t *testing.T) {
	step := &course.Step{Folder: "step05_swiglu"}
	versions := func(ids ...string) (all []mistake.Version) {
		for _, id := range ids {
			all = append(all, mistake.Version{ID: id})
		}
		return all
	}
	words := diagnose.Store{Words: map[string]diagnose.Words{"a": {Title: "a"}, "b": {Title: "b"}, "a/half": {Title: "half of a"}, "b/again": {Title: "a"}}}
	for name, c := range map[string]struct {
		versions []mistake.Version
		want     []string
	}{
		"each its own":            {versions("a", "a/half", "a/forward-only", "a/tile-4x4", "a/tile-8x8", "b", "b/forward-only"), nil},
		"a name that says little": {versions("a", "a/other"), []string{"a and a/other of"}},
		"another mistake's":       {versions("a", "b/again"), []string{"a and b/again of"}},
	} {
		t.Run(name, func(t *testing.T) {
			problems := sameTitles(step, words, []mistake.Mistake{{Versions: c.versions}})
			require.Len(t, problems, len(c.want))
			for i, want := range c.want {
				require.Contains(t, problems[i], want)
			}
		})
	}
}
