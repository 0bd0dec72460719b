package registry_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
)

// The parts of a step are the whole of it: every check, function and hint belongs
// to exactly one, and each has its place in the lesson, in both languages.
func TestParts(t *testing.T) {
	for _, whole := range registry.Steps() {
		points, functions, hints, checks := 0, 0, 0, 0
		files := []string{}
		for _, p := range whole.AsSteps() {
			points, functions, hints, checks = points+p.Max(), functions+len(p.Functions), hints+len(p.Hints), checks+len(p.Checks)
			require.NotEmpty(t, p.Hints, p.ID)
			for _, name := range []string{"README.md", "README.zh-CN.md"} {
				lesson, err := os.ReadFile(filepath.Join("..", "..", "..", "steps", whole.Folder, name))
				require.NoError(t, err)
				section := p.Part.LessonSection(string(lesson))
				require.Less(t, len(section), len(lesson), "%s has no section in %s", p.ID, name)
				require.Equal(t, 1, strings.Count(section, "\n## ")+1, "%s: one section of %s", p.ID, name)
			}
			for _, name := range p.Part.Files {
				require.FileExists(t, filepath.Join("..", "..", "..", "steps", whole.Folder, name))
			}
			files = append(files, p.Part.Files...)
			found, err := course.FindPart(registry.Steps(), p.ID)
			require.NoError(t, err)
			require.Equal(t, p.ID, found.ID)
		}
		if len(whole.Parts) == 0 {
			continue
		}
		require.Equal(t, whole.Max(), points, whole.ID)
		require.Equal(t, []int{len(whole.Functions), len(whole.Hints), len(whole.Checks)}, []int{functions, hints, checks}, whole.ID)
		stubs, err := filepath.Glob(filepath.Join("..", "..", "..", "steps", whole.Folder, "*.go"))
		require.NoError(t, err)
		for _, stub := range stubs {
			require.True(t, strings.HasSuffix(stub, "_test.go") || slices.Contains(files, filepath.Base(stub)), stub)
		}
	}
	for _, name := range []string{"step11h", "11z", "a", "step05a", ""} {
		_, err := course.FindPart(registry.Steps(), name)
		require.ErrorContains(t, err, "there is no step", name)
	}
}
