package tree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/tree"
)

// The folder of a program can be removed as soon as the program has ended.
func TestProgramThatHasJustEnded(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	for range 10 {
		dir := filepath.Join(t.TempDir(), "dir")
		require.NoError(t, os.Mkdir(dir, 0o755))
		program := filepath.Join(dir, "program.exe")
		require.NoError(t, os.WriteFile(program, data, 0o755))
		cmd := exec.Command(program, "-test.run=^$")
		cmd.Dir = dir
		require.NoError(t, cmd.Run())
		require.NoError(t, tree.RemoveAll(dir))
		require.NoDirExists(t, dir)
	}
}
