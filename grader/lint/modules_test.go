package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// TestModules holds that what the queue of a class needs is downloaded by those
// who use it, and by nobody else.
func TestModules(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for module, wants := range map[string]bool{".": false, "cmd/class-worker": true} {
		for _, name := range []string{"go.mod", "go.sum"} {
			data, err := os.ReadFile(filepath.Join(kit.Root, module, name))
			require.NoError(t, err)
			if wants {
				require.Contains(t, string(data), "github.com/nats-io/", "%s of %s", name, module)
			} else {
				require.NotContains(t, string(data), "github.com/nats-io/", "%s of %s", name, module)
			}
		}
	}
}
