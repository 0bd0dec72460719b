package tree_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/tree"
)

// nest makes folders in folders, deeper than a path can name.
func nest(t *testing.T, dir string, depth int) {
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	for range depth {
		require.NoError(t, root.Mkdir("deeper", 0o755))
		next, err := root.OpenRoot("deeper")
		require.NoError(t, err)
		require.NoError(t, root.Chmod("deeper", 0o755))
		require.NoError(t, root.Close())
		root = next
	}
	require.NoError(t, root.WriteFile("bottom", nil, 0o644))
	require.NoError(t, root.Close())
}

func TestRemoveAll(t *testing.T) {
	for name, fill := range map[string]func(t *testing.T, dir string){
		"empty": func(*testing.T, string) {},
		"deep":  func(t *testing.T, dir string) { nest(t, dir, 1500) },
		"wide": func(t *testing.T, dir string) {
			for i := range 1200 {
				require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('一'+i))), nil, 0o644))
			}
		},
		"names that it uses itself": func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "removed-1", "removed-1", "removed-2"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "removed-2"), nil, 0o644))
		},
		"without permissions": func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o755))
			for _, path := range []string{"a/b/c", "a/b", "a", ""} {
				require.NoError(t, os.Chmod(filepath.Join(dir, filepath.FromSlash(path)), 0))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "deep" {
				t.Skip("Windows does not nest that deep")
			}
			dir := filepath.Join(t.TempDir(), "dir")
			require.NoError(t, os.Mkdir(dir, 0o755))
			fill(t, dir)
			require.NoError(t, tree.RemoveAll(dir))
			require.NoDirExists(t, dir)
			require.NoError(t, tree.RemoveAll(dir), "twice")
		})
	}
}

// A link out of the folder is removed and not what it points to.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	require.NoError(t, os.WriteFile(kept, []byte("x"), 0o600))
	dir := filepath.Join(t.TempDir(), "dir")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755))
	for _, at := range []string{"link", "in/link"} {
		if err := os.Symlink(outside, filepath.Join(dir, filepath.FromSlash(at))); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, tree.RemoveAll(dir))
	require.FileExists(t, kept)
}
