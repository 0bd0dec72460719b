package train_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestBuildPage compiles a student's own code for a browser: it is in the program, with no
// step but those of the model, and the names of the student's folders are not.
func TestBuildPage(t *testing.T) {
	sweep.Only(t)
	kit := ownKit(t)
	binary, err := train.BuildPage(t.Context(), kit, workspace.Own(), run.Model{}, t.TempDir())
	require.NoError(t, err)
	program, err := os.ReadFile(binary)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(program, []byte("\x00asm")), "WebAssembly")
	require.True(t, linked(t, binary, "steps/step10_lm"))
	require.False(t, linked(t, binary, "steps/step11_training"))
	require.False(t, linked(t, binary, "solutions"))
	require.NotContains(t, string(program), kit.Root)

	// What is there on this machine and not in a browser is named by its line, with the reason.
	for name, text := range map[string]string{
		"wide_" + runtime.GOOS + ".go": "package rmsnorm\n\nconst wide = 8\n",
		"wide.go":                      "//go:build " + runtime.GOARCH + "\n\npackage rmsnorm\n\nconst wide = 8\n",
	} {
		for name, text := range map[string]string{name: text, "page.go": "package rmsnorm\n\nvar size = wide\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(kit.Root, "steps", "step04_rmsnorm", name), []byte(text), 0o644))
		}
		_, err := train.Build(t.Context(), kit, workspace.Own(), run.Model{}, t.TempDir())
		require.NoError(t, err, name)
		_, err = train.BuildPage(t.Context(), kit, workspace.Own(), run.Model{}, t.TempDir())
		require.ErrorContains(t, err, "steps/step04_rmsnorm/page.go:3:12: undefined: wide")
		require.ErrorContains(t, err, "The one in "+name+" is not compiled here: ")
		require.NoError(t, os.Remove(filepath.Join(kit.Root, "steps", "step04_rmsnorm", name)))
	}
}
