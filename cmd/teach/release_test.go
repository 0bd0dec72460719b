package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// A stub in steps/ that is not what is handed out is named, with the command that
// takes it over.
func TestTellChanged(t *testing.T) {
	root, step := t.TempDir(), registry.Steps()[1]
	own, err := workspace.Find(".")
	require.NoError(t, err)
	stub, err := own.Stub(step.Folder)
	require.NoError(t, err)
	write := func(name string, data []byte) {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	write("go.mod", []byte("module github.com/stubformer/stubformer\n"))
	for name, data := range stub {
		write("steps/"+step.Folder+"/"+name, data)
	}
	kit, err := workspace.Find(root)
	require.NoError(t, err)
	var said strings.Builder
	require.NoError(t, tellChanged(&said, kit, registry.Steps()[1:2]))
	require.Empty(t, said.String())
	write("steps/"+step.Folder+"/linear.go", []byte("package linear // corrected\n"))
	require.NoError(t, tellChanged(&said, kit, registry.Steps()[1:2]))
	require.Contains(t, said.String(), "  steps/step02_linear/linear.go\n")
	require.Contains(t, said.String(), "go run ./cmd/grade dev pristine")
}
