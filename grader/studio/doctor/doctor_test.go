package doctor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// Without a home the go command says "off" and nothing, which are no folders.
func TestWithoutAHome(t *testing.T) {
	kit, err := workspace.Find(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOCACHE", "GOPATH", "GOMODCACHE"} {
		t.Setenv(name, "")
	}
	for _, f := range []Finding{buildCache(t.Context(), kit), modules(t.Context(), kit)} {
		require.Equal(t, Missing, f.State)
		require.Contains(t, f.Text.String(), "the go command knows no folder for what it compiles and downloads: set HOME to your home folder")
	}
	require.NoFileExists(t, "off")
	require.NoDirExists(t, "off")
}
