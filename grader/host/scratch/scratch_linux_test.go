package scratch

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// role says what a process that a test starts is to do.
const role = "STUBFORMER_TEST_ROLE"

// again starts the running test in a process of its own, which has a role and
// possibly namespaces of its own.
func again(t *testing.T, what string, namespaces uintptr) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
	cmd.Env = append(os.Environ(), role+"="+what)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: namespaces &^ syscall.CLONE_NEWPID, Cloneflags: namespaces & syscall.CLONE_NEWPID}
	return cmd
}

// A run that is killed leaves its folder, and the next run takes it; not before, also
// where both have process numbers of their own.
func TestSweepAfterKill(t *testing.T) {
	if os.Getenv(role) != "" {
		f, err := New()
		require.NoError(t, err)
		fmt.Println(f.Path)
		select {} // until it is killed
	}
	if machine() == "" {
		t.Skip("this kernel has no name")
	}
	for name, namespaces := range map[string]uintptr{"here": 0, "in a container": syscall.CLONE_NEWPID} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			cmd := again(t, "maker", namespaces)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
				t.Skip("no processes of its own here: ", err)
			} else {
				require.NoError(t, err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			made := strings.TrimSpace(line)
			Sweep(os.TempDir(), 0)
			require.DirExists(t, made)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			require.DirExists(t, made)
			Sweep(os.TempDir(), Stale)
			require.Empty(t, listing(t, os.TempDir())[1:])
		})
	}
}

// Where programs cannot be run the cause is said, and nothing is left behind.
func TestNewSaysWhyNothingCanBeRun(t *testing.T) {
	switch os.Getenv(role) {
	case "umask":
		t.Setenv("TMPDIR", t.TempDir())
		defer syscall.Umask(syscall.Umask(0o777))
		_, err := New()
		require.EqualError(t, err, "the umask takes permissions from you yourself: a program that is made here has 0000 instead of 0700, and cannot be run. Say `umask 022` and try again")
		require.Empty(t, listing(t, os.TempDir())[1:])
		return
	case "noexec":
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		require.NoError(t, syscall.Mount("tmpfs", tmp, "tmpfs", syscall.MS_NOEXEC, ""))
		defer syscall.Unmount(tmp, syscall.MNT_DETACH)
		_, err := New()
		require.ErrorContains(t, err, "programs are built and run below "+tmp+", and nothing may be run there")
		require.Empty(t, listing(t, tmp)[1:])
		return
	}
	for what, namespaces := range map[string]uintptr{"umask": 0, "noexec": syscall.CLONE_NEWNS} {
		t.Run(what, func(t *testing.T) {
			out, err := again(t, what, namespaces).CombinedOutput()
			if errors.Is(err, syscall.EPERM) {
				t.Skip("no mounts of its own here: ", err)
			}
			require.NoError(t, err, "%s", out)
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir()+"/nowhere")
		_, err := New()
		require.EqualError(t, err, "programs are built and run below "+os.TempDir()+", and no folder can be made there: no such file or directory; set TMPDIR to one where it can")
	})
}
