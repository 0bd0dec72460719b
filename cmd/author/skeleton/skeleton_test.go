package skeleton

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// copied is what of the kit a new step touches.
func copied(t *testing.T) (kit, real *workspace.Kit) {
	t.Helper()
	real, err := workspace.Find(".")
	require.NoError(t, err)
	root := t.TempDir()
	for _, name := range []string{"steps", "grader/workspace/pristine", "fixtures/generate"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, filepath.FromSlash(name)), os.DirFS(filepath.Join(real.Root, filepath.FromSlash(name)))))
	}
	require.NoError(t, workspace.WritePristine(root)) // whatever stands in steps/ now
	for _, name := range []string{"go.mod", "grader/course/registry/registry.go"} {
		data, err := os.ReadFile(filepath.Join(real.Root, filepath.FromSlash(name)))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), data, 0o644))
	}
	kit, err = workspace.Find(root)
	require.NoError(t, err)
	return kit, real
}

// A new step compiles, is registered and is stored as handed out.
func TestNew(t *testing.T) {
	kit, real := copied(t)
	const number = 47 // any that is free
	files, err := New(kit, number, "dropout")
	require.NoError(t, err)
	require.Contains(t, files, "steps/step47_dropout/dropout.go")
	require.NoError(t, workspace.CheckPristine(kit.Root))

	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(kit.Root, filepath.FromSlash(name)))
		require.NoError(t, err)
		return string(data)
	}
	_, err = diagnose.Parse([]byte(read("fixtures/step47_dropout/mistakes.json")))
	require.NoError(t, err)
	require.Contains(t, files, "grader/course/step47_dropout/mistakes/forward.go")
	mistakes, err := mistake.Load(kit.Root, "step47_dropout")
	require.NoError(t, err)
	require.Empty(t, mistakes)
	require.Contains(t, read("grader/course/registry/registry.go"), "\t\tdropout.Step(),\n\t})\n")
	require.Contains(t, read("steps/step47_dropout/README.md"), "go run ./cmd/grade step47   # grade it\n")
	for _, name := range files {
		require.NotContains(t, read(name), "«", name)
	}

	guide, err := os.ReadFile(filepath.Join(real.Root, "docs", "authors.md"))
	require.NoError(t, err)
	require.Contains(t, string(guide), "grade dev new 47 dropout")
	for _, name := range files {
		name = strings.Replace(name, "mistakes/forward.go", "mistakes/*.go", 1)
		if path.Base(name) == "README.zh-CN.md" {
			name = path.Base(name) // in the row of the other
		}
		require.Contains(t, string(guide), "`"+name+"`", "a file of which the guide says nothing")
	}

	if sweep.On() {
		requireCompiles(t, kit, real, files)
	}
	_, err = New(kit, number, "dropout")
	require.ErrorContains(t, err, "is there already")
}

// requireCompiles compiles the files of a new step. They are laid over the kit, so that what
// is compiled already need not be again.
func requireCompiles(t *testing.T, kit, real *workspace.Kit, files []string) {
	t.Helper()
	replace := map[string]string{}
	for _, name := range files {
		replace[filepath.Join(real.Root, filepath.FromSlash(name))] = filepath.Join(kit.Root, filepath.FromSlash(name))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o644))
	for _, args := range [][]string{{"build", "-overlay", file, "./grader/course/...", "./reference/oracle", "./solutions/step47_dropout"},
		{"test", "-c", "-vet=off", "-o", t.TempDir(), "-overlay", file, "./steps/step47_dropout"}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = real.Root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	formatted, err := exec.CommandContext(t.Context(), "gofmt", "-l", filepath.Join(kit.Root, "steps", "step47_dropout"),
		filepath.Join(kit.Root, "solutions"), filepath.Join(kit.Root, "grader", "course"), filepath.Join(kit.Root, "reference")).Output()
	if err == nil {
		require.Empty(t, string(formatted), "gofmt would change these")
	}
}

func TestWhatIsRefused(t *testing.T) {
	kit, _ := copied(t)
	for _, tt := range []struct {
		name   string
		number int
		step   string
		says   string
	}{
		{"a number that exists", 5, "dropout", "step05 is there already"},
		{"no number of two digits", 100, "dropout", "100 cannot be the number of a step"},
		{"a name that Go reserves", 47, "init", "cannot name the package of a step"},
		{"no name of a package", 47, "Drop-Out", "cannot name the package of a step"},
		{"a name that exists", 47, "rope", "step06 is called rope already"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(kit, tt.number, tt.step)
			require.ErrorContains(t, err, tt.says)
		})
	}
	stub := filepath.Join(kit.Root, "steps", "step01_init", "init.go")
	require.NoError(t, os.WriteFile(stub, []byte("package initializers\n"), 0o644))
	_, err := New(kit, 47, "dropout")
	require.ErrorContains(t, err, "the new stub cannot be stored as long as others are not")
}
