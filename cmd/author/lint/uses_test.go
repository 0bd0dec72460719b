package lint

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Every stub and every solution keeps to the rules of its step.
func TestUses(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	steps := registry.Steps()
	for _, step := range steps {
		require.Empty(t, lintUses(t.Context(), kit, steps, step), step.ID)
	}
}

// A step may use all of the standard library that only computes, unless its stub names
// what it may not use: who is refused has been told.
func TestStubsNameWhatIsRefused(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for _, step := range registry.Steps() {
		require.Empty(t, untold(t, kit, step), step.ID)
	}
	less := *registry.Steps()[0]
	less.Uses = maps.Clone(less.Uses)
	delete(less.Uses, "regexp")
	require.Equal(t, []string{"regexp"}, untold(t, kit, &less))
}

// untold returns the packages that only compute, that a step may not use, and that its
// stub does not name.
func untold(t *testing.T, kit *workspace.Kit, step *course.Step) (paths []string) {
	stubs, err := filepath.Glob(filepath.Join(kit.Root, "steps", step.Folder, "*.go"))
	require.NoError(t, err)
	var text []byte
	for _, stub := range stubs {
		data, err := os.ReadFile(stub)
		require.NoError(t, err)
		text = append(text, data...)
	}
	for path := range course.Computing() {
		if !step.Uses.Package(path) && !bytes.Contains(text, []byte(path)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// A step that says less than its code uses is found.
func TestUsesFindsWhatIsMissing(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		id    string
		spoil func(s *course.Step)
		want  string
	}{
		"a set":                 {"step02", func(s *course.Step) { s.Uses = course.Join(course.Computing(), course.Vectors()) }, "tensor.Mul is not allowed"},
		"files with vectors":    {"step11", func(s *course.Step) { s.Uses = course.Ordinary() }, "is not allowed: of "},
		"a step":                {"step05", func(s *course.Step) { s.Needs = nil }, "step05 is built on no other step"},
		"a step through others": {"step10", func(s *course.Step) { s.Needs = []string{"step09", "step03", "step01"} }, "step02_linear, which does not stand in its Needs"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := registry.Steps()
			i := slices.IndexFunc(changed, func(s *course.Step) bool { return s.ID == c.id })
			step := *changed[i] // all callers share the one of the registry
			changed[i] = &step
			c.spoil(&step)
			require.Contains(t, strings.Join(lintUses(t.Context(), kit, changed, &step), "\n"), c.want)
		})
	}
}
