package whole

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mounts is set in the process that may mount what it likes.
const mounts = "STUBFORMER_TEST_MOUNTS"

// A file that is mounted alone, as containers have them, takes no other's place.
func TestReplaceWritesToAMountedFile(t *testing.T) {
	if os.Getenv(mounts) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), mounts+"=yes")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) {
			t.Skip("no mounts of its own here: ", err)
		}
		require.NoError(t, err, "%s", out)
		return
	}
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "inside"), filepath.Join(dir, "outside")
	require.NoError(t, os.WriteFile(inside, nil, 0o644))
	require.NoError(t, os.WriteFile(outside, []byte("a long old one"), 0o644))
	require.NoError(t, syscall.Mount(outside, inside, "", syscall.MS_BIND, ""))
	defer syscall.Unmount(inside, 0)
	require.NoError(t, Write(inside, []byte("new")))
	require.Equal(t, "new", content(t, inside))
	require.Equal(t, "new", content(t, outside))
}
