package sandbox_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/sandbox"
)

// boxes opens every level beyond limits that this machine has.
func boxes(t *testing.T, f func(t *testing.T, b *sandbox.Box)) {
	for _, level := range []sandbox.Level{sandbox.Bubblewrap, sandbox.Landlock} {
		t.Run(string(level), func(t *testing.T) {
			b, err := sandbox.Open(helper, level)
			if err != nil {
				t.Skip(err)
			}
			f(t, b)
		})
	}
}

// try runs an attempt in a box and returns what it printed.
func try(t *testing.T, b *sandbox.Box, name string, args ...string) string {
	t.Helper()
	defer func(start time.Time) { t.Log(name, time.Since(start)) }(time.Now())
	self, err := os.Executable()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "sandbox-test-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	p := sandbox.Policy{Write: []string{dir}, Memory: 1 << 30, FileSize: 8 << 20,
		CPU: 20 * time.Second, Files: 64, Processes: 100}
	p.Stranger, err = b.Stranger()
	require.NoError(t, err)
	defer p.Stranger.Leave()
	require.NoError(t, b.Give(p, dir))
	require.NoError(t, b.LetPass(dir))
	run := filepath.Join(dir, "program") // a folder that everybody may pass
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(run, data, 0o755))
	cmd := exec.CommandContext(t.Context(), run, args...)
	cmd.Dir, cmd.Env = dir, []string{"ESCAPE=" + name}
	b.Wrap(cmd, p)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "held: " + err.Error() + "\n" + string(out)
	}
	return string(out)
}

// Every attempt to get out is held, on every level that the machine has.
func TestHeld(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	socket, err := net.Listen("unix", "@stubformer-sandbox-test")
	require.NoError(t, err)
	defer socket.Close()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o644))
	parent := strconv.Itoa(os.Getpid())
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	tests := map[string][]string{
		"read":        {secret},
		"list":        {outside},
		"write":       {filepath.Join(outside, "new")},
		"tcp":         {listener.Addr().String()},
		"unix socket": {"stubformer-sandbox-test"},
		"kill":        {parent},
		"ptrace":      {parent},
		"memory":      nil,
		"large file":  nil,
		"many files":  nil,
	}
	boxes(t, func(t *testing.T, b *sandbox.Box) {
		for name, args := range tests {
			require.Contains(t, try(t, b, name, args...), "held", name)
		}
		require.Contains(t, try(t, b, "list", "/proc/"+parent), "held")
		require.Contains(t, try(t, b, "write", filepath.Join(cache, "go-build", "00", "poison")), "held")
		require.Contains(t, try(t, b, "works"), "escaped", "its own folder can be written")
	})
	require.NoFileExists(t, filepath.Join(outside, "new"))
	// The attempts do succeed outside of a box.
	for _, name := range []string{"read", "list", "tcp", "unix socket", "kill", "many files"} {
		require.Contains(t, try(t, nil, name, tests[name]...), "escaped", name)
	}
}

// A process that leaves its group and its session ends with the box.
func TestDetached(t *testing.T) {
	boxes(t, func(t *testing.T, b *sandbox.Box) {
		if b.Level() == sandbox.Landlock && b.Text() != "only its own files, its own processes and network" {
			t.Skip("no namespaces here")
		}
		mark := "MARK=" + t.Name()
		require.Contains(t, try(t, b, "detach", t.Name()), "escaped", "it did start")
		require.Eventually(t, func() bool { return !alive(mark) }, 5*time.Second, 20*time.Millisecond)
	})
}

// alive looks for a process with an entry in its environment.
func alive(mark string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}

// As root, the limit on processes holds where the program is another user.
func TestForks(t *testing.T) {
	boxes(t, func(t *testing.T, b *sandbox.Box) {
		require.Contains(t, try(t, b, "fork"), "held: after ")
	})
}

// The command in the box ends when the caller does.
func TestEndsWithTheCaller(t *testing.T) {
	boxes(t, func(t *testing.T, b *sandbox.Box) {
		self, err := os.Executable()
		require.NoError(t, err)
		dir := t.TempDir()
		cmd := exec.Command(self)
		cmd.Dir, cmd.Env = dir, []string{"ESCAPE=sleep", "MARK=" + t.Name()}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		b.Wrap(cmd, sandbox.Policy{Read: []string{self}, Write: []string{dir}})
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return alive("MARK=" + t.Name()) }, 5*time.Second, 10*time.Millisecond)
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		cmd.Wait()
		require.Eventually(t, func() bool { return !alive("MARK=" + t.Name()) }, 5*time.Second, 10*time.Millisecond)
	})
}

// Where few users of the system can be had, or none, as in many containers, there are
// strangers as far as that goes, and the box says what it lacks.
func TestFewUsers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root runs programs as other users")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for count, want := range map[int]string{
		1 << 16: "a user of its own, only its own files, and a filter of its system calls: user true",
		1:       "a filter of its system calls; files are not fenced in: user false",
	} {
		ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: count}}
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = []string{"ESCAPE=few users", "TMPDIR=" + t.TempDir()}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) {
			t.Skip(err)
		}
		require.NoError(t, err, string(out))
		require.Equal(t, want+"\n", string(out))
	}
}

func TestUnavailable(t *testing.T) {
	_, err := sandbox.Open(sandbox.Helper{}, sandbox.Landlock)
	require.ErrorContains(t, err, "the sandbox level landlock is not available here")
	_, err = sandbox.Open(helper, "moat")
	require.ErrorContains(t, err, "want bubblewrap, landlock or limits")
	b, err := sandbox.Open(helper, sandbox.Limits)
	require.NoError(t, err)
	require.Equal(t, sandbox.Limits, b.Level())
	require.Equal(t, sandbox.Limits, (*sandbox.Box)(nil).Level())
}
