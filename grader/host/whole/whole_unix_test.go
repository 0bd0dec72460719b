//go:build unix

package whole

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplaceKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o755} {
		file := filepath.Join(dir, "report")
		require.NoError(t, os.WriteFile(file, nil, 0o644))
		require.NoError(t, os.Chmod(file, mode))
		require.NoError(t, Write(file, []byte("private")))
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
	}
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	require.NoError(t, Write(filepath.Join(dir, "new"), nil))
	info, err := os.Stat(filepath.Join(dir, "new"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode())
}

// The reader of a pipe gets what is written, and the pipe is one still.
func TestReplaceWritesToPipes(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("pipe", link))
	require.ErrorContains(t, Write(pipe, []byte("lost")), "cannot write "+pipe+": it is a pipe, and nobody reads from it")
	for _, path := range []string{pipe, link} {
		r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		require.NoError(t, err)
		other, err := os.OpenFile(pipe, os.O_WRONLY, 0) // until it is closed, a pipe has no end
		require.NoError(t, err)
		read := make(chan string)
		go func() {
			data, _ := io.ReadAll(r)
			read <- string(data)
		}()
		long := make([]byte, 1<<20) // more than a pipe holds
		require.NoError(t, Write(path, long))
		require.NoError(t, other.Close())
		require.Equal(t, string(long), <-read)
		require.NoError(t, r.Close())
	}
	require.Equal(t, []string{"link", "pipe"}, names(t, dir))
	info, err := os.Lstat(pipe)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeNamedPipe)
}

// A link to /dev/null keeps the kernel's device out of danger should this fail for root.
func TestReplaceWritesToDevices(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(os.DevNull, link))
	require.NoError(t, Write(link, []byte("nothing")))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	info, err = os.Stat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeCharDevice)
	full := filepath.Join(t.TempDir(), "full")
	require.NoError(t, os.Symlink("/dev/full", full))
	if _, err := os.Stat(full); err == nil {
		require.ErrorIs(t, Write(full, []byte("nothing")), syscall.ENOSPC)
	}
}

// A file that somebody has opened and removed has no name to be replaced under.
func TestReplaceWritesToDescriptors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Remove(file))
	name := filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd())))
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /proc here")
	}
	require.NoError(t, Write(name, []byte("kept")))
	_, err = f.Seek(0, io.SeekStart)
	require.NoError(t, err)
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "kept", string(data))
	require.Empty(t, names(t, filepath.Dir(file)))
}

// What a shell has opened as the output of several commands keeps what the others write.
func TestReplaceWritesToItsOwnOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	f.WriteString("before\n")
	stdout := os.Stdout
	os.Stdout = f
	err = Write(file, []byte("report\n"))
	os.Stdout = stdout
	require.NoError(t, err)
	f.WriteString("after\n")
	require.Equal(t, "before\nreport\nafter\n", content(t, file))
}

// A folder that takes no new file is no reason not to write to an old one.
func TestReplaceWritesWhereNothingCanBeMade(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	require.NoError(t, os.WriteFile(file, []byte("a long old one"), 0o644))
	require.NoError(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	require.NoError(t, Write(file, []byte("new")))
	require.Equal(t, "new", content(t, file))
	require.ErrorIs(t, Write(filepath.Join(dir, "other"), nil), fs.ErrPermission)
}
