package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.go"), []byte("package a\n\nfunc f() {\n\tpanic(tensor.TODO(1))\n}\n"), 0o644))
	files := []string{"a.go", "b.go"}
	for name, tt := range map[string]struct {
		message, file string
		line          int
	}{
		"a compile error":       {"steps/step02_x/a.go:7:3: undefined", "a.go", 7},
		"the first of the step": {"panic\n  tensor.go:9 Mul\n  b.go:2 f", "b.go", 2},
		"what is not written":   {"wrong values", "b.go", 4},
	} {
		file, line := place(dir, files, tt.message)
		require.Equal(t, filepath.Join(dir, tt.file), file, name)
		require.Equal(t, tt.line, line, name)
	}
	file, line := place(dir, files[:1], "")
	require.Equal(t, filepath.Join(dir, "a.go"), file)
	require.Equal(t, 1, line)
	require.Equal(t, []string{"+3", "a.go"}, at("/usr/bin/vim", "a.go", 3))
	require.Equal(t, []string{"--goto", "a.go:3"}, at("code", "a.go", 3))
}
