package whole

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// content returns what a file holds.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// names returns what lies in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestReplaceMakesAFileAndReplacesIt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	require.NoError(t, Write(file, []byte("a long one")))
	require.Equal(t, "a long one", content(t, file))
	require.NoError(t, Write(file, []byte("short")))
	require.Equal(t, "short", content(t, file))
	require.Equal(t, []string{"report"}, names(t, dir))
}

// A reader that has opened the old file reads it to its end.
func TestReplaceLeavesReadersTheOldContent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that somebody reads cannot be replaced here")
	}
	file := filepath.Join(t.TempDir(), "report")
	require.NoError(t, Write(file, []byte("old")))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, Write(file, []byte("new")))
	read, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "old", string(read))
}

func TestReplaceKeepsTheOldFileWhereWritingFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	require.NoError(t, Write(file, []byte("old")))
	reason := errors.New("no picture")
	require.ErrorIs(t, Replace(file, func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, reason)
	}), reason)
	require.Equal(t, "old", content(t, file))
	require.Equal(t, []string{"report"}, names(t, dir))
}

// An error names the file that was asked for, and not one that nobody knows of.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "nowhere", "report")
	_, missing := os.Stat(file)
	require.ErrorIs(t, Write(file, nil), fs.ErrNotExist)
	require.EqualError(t, Write(file, nil), "cannot write "+file+": "+errors.Unwrap(missing).Error())
	require.EqualError(t, Write(dir, nil), "cannot write "+dir+": "+syscall.EISDIR.Error())
	other := &fs.PathError{Op: "open", Path: "corpus", Err: fs.ErrNotExist}
	require.EqualError(t, Replace(filepath.Join(dir, "report"), func(io.Writer) error { return other }), other.Error())
}

func TestReplaceFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not everybody may make links here")
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "far", "away"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "far", "target"), []byte("old"), 0o644))
	for name, target := range map[string]string{
		"folder":   filepath.Join("far", "away"),
		"link":     filepath.Join("far", "target"),
		"second":   "link",
		"absolute": filepath.Join(dir, "far", "target"),
		"dangling": filepath.Join("far", "to be made"),
		"through":  "folder/../target", // far/target, since the system follows folder first
		"self":     "self",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	before := names(t, dir)
	for _, name := range []string{"link", "second", "absolute", "through"} {
		require.NoError(t, Write(filepath.Join(dir, name), []byte("by "+name)))
		require.Equal(t, "by "+name, content(t, filepath.Join(dir, "far", "target")))
	}
	require.NoError(t, Write(filepath.Join(dir, "dangling"), []byte("made")))
	require.Equal(t, "made", content(t, filepath.Join(dir, "far", "to be made")))
	require.ErrorContains(t, Write(filepath.Join(dir, "self"), nil), "cannot write "+filepath.Join(dir, "self"))
	require.Equal(t, before, names(t, dir), "every link is one still")
	for _, name := range before {
		info, err := os.Lstat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.True(t, name == "far" || info.Mode()&fs.ModeSymlink != 0, name)
	}
}
