package tree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that is open keeps its folder, and RemoveAll tries again.
func TestOpenFileIsBusy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755))
	for _, name := range []string{"file", "in/file"} {
		f, err := os.Create(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		require.True(t, busy(removeAll(dir)), name)
		require.NoError(t, f.Close())
	}
	require.NoError(t, RemoveAll(dir))
	require.NoDirExists(t, dir)
	require.False(t, busy(nil))
	_, missing := os.Stat(dir)
	require.False(t, busy(missing))
}
