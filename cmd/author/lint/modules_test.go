package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// TestModules holds that what the queue of a class needs, and what drives a browser,
// is downloaded by those who use it, and by nobody else.
func TestModules(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	const queue, browser = "github.com/nats-io/", "github.com/chromedp/"
	for module, wants := range map[string]string{".": "", "cmd/class-worker": queue, "grader/studio/explore/browser": browser} {
		for _, name := range []string{"go.mod", "go.sum"} {
			data, err := os.ReadFile(filepath.Join(kit.Root, module, name))
			require.NoError(t, err)
			for _, heavy := range []string{queue, browser} {
				require.Equal(t, heavy == wants, strings.Contains(string(data), heavy), "%s in %s of %s", heavy, name, module)
			}
		}
	}
}
