package scratch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put writes a file and the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// age makes all that is below root, and root, a week old.
func age(t *testing.T, root string) {
	t.Helper()
	old := time.Now().Add(-7 * 24 * time.Hour)
	require.NoError(t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Type()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// killed makes a scratch folder as a process leaves it that was killed.
func killed(t *testing.T) *Folder {
	t.Helper()
	f, err := New()
	require.NoError(t, err)
	put(t, filepath.Join(f.Path, "build", "probe"), "binary")
	require.NoError(t, f.lock.Close()) // the system does this when a process ends
	return f
}

// temporary makes a folder the one for what is temporary.
func temporary(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"TMPDIR", "TMP"} { // on Unix, on Windows
		t.Setenv(name, dir)
	}
}

// link makes a link, for which Windows wants a privilege.
func link(t *testing.T, target, name string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not everybody may make links here")
	}
	require.NoError(t, os.Symlink(target, name))
}

func TestNewAndRemove(t *testing.T) {
	tmp := t.TempDir()
	temporary(t, tmp)
	f, err := New()
	require.NoError(t, err)
	require.Regexp(t, name, filepath.Base(f.outer))
	entries, err := os.ReadDir(f.Path)
	require.NoError(t, err)
	require.Empty(t, entries, "what is worked in is empty")
	require.True(t, Holds(filepath.Join(f.Path, "probe")))
	require.False(t, Holds(filepath.Join(tmp+"-2", filepath.Base(f.outer), "probe")))
	require.False(t, Holds(filepath.Join(tmp, "stubformer-0.2", "probe")))
	put(t, filepath.Join(f.Path, "deep", "er", "file"), "text")
	require.NoError(t, os.Chmod(filepath.Join(f.Path, "deep", "er"), 0o500))
	require.NoError(t, f.Remove())
	require.NoError(t, f.Remove(), "again")
	entries, err = os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestSweepRemovesWhatKilledRunsLeft(t *testing.T) {
	if machine() == "" {
		t.Skip("this machine has no name")
	}
	temporary(t, t.TempDir())
	old, young, held, other, others := killed(t), killed(t), killed(t), killed(t), killed(t)
	age(t, old.outer)
	locked, err := held.lock.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	age(t, held.outer)
	elsewhere(t, other)
	elsewhere(t, others)
	age(t, others.outer)
	Sweep(os.TempDir(), Stale)
	require.NoDirExists(t, old.outer)
	require.NoDirExists(t, young.outer, "nobody holds it, and it is of this machine")
	require.NoDirExists(t, others.outer, "another machine's, a week old")
	require.DirExists(t, other.outer, "another machine's, not a day old")
	require.FileExists(t, filepath.Join(held.Path, "build", "probe"), "its maker lives")
	require.NoError(t, held.Remove())
	Sweep(os.TempDir(), 0)
	require.NoDirExists(t, other.outer)
}

// elsewhere writes another machine's name into a marker.
func elsewhere(t *testing.T, f *Folder) {
	t.Helper()
	path := filepath.Join(f.outer, marker)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), ", on "+machine()+"\n")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), machine(), "another-"+machine(), 1)), 0o600))
}

// Those who sweep at any time leave alone what others are making, using and removing.
func TestSweepAmongOthers(t *testing.T) {
	temporary(t, t.TempDir())
	done := make(chan bool)
	var work, sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					Sweep(os.TempDir(), 0)
				}
			}
		})
	}
	for range 4 {
		work.Go(func() {
			for range 100 {
				f, err := New()
				if assert.NoError(t, err) {
					assert.NoError(t, os.WriteFile(filepath.Join(f.Path, "probe"), nil, 0o700))
					assert.NoError(t, f.Remove())
				}
			}
		})
	}
	work.Wait()
	close(done)
	sweepers.Wait()
	require.Empty(t, listing(t, os.TempDir())[1:])
}

// Whatever merely looks like a scratch folder stays, to the last file.
func TestSweepLeavesLookAlikes(t *testing.T) {
	const given = "stubformer-scratch-0123456789abcdef"
	for what, build := range map[string]func(t *testing.T, tmp string) (look string){
		"a kit that was cloned there": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, "stubformer-0.2", "go.mod"), "module github.com/stubformer/stubformer\n")
			put(t, filepath.Join(tmp, "stubformer-0.2", "steps", "step01_init", "init.go"), "package initializers // mine\n")
			return "stubformer-0.2"
		},
		"a folder of an earlier version": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, "stubformer-1234567", "probe"), "")
			return "stubformer-1234567"
		},
		"an empty folder of that name": func(t *testing.T, tmp string) string {
			require.NoError(t, os.Mkdir(filepath.Join(tmp, given), 0o755))
			return given
		},
		"without a marker": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, given, files, "thesis.tex"), "mine")
			return given
		},
		"a marker with other content": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, given, marker), "mine")
			put(t, filepath.Join(tmp, given, files, "thesis.tex"), "mine")
			return given
		},
		"a marker of another folder": func(t *testing.T, tmp string) string { // a copy
			f := killed(t)
			require.NoError(t, os.Rename(f.outer, filepath.Join(tmp, given)))
			return given
		},
		"a marker that is a link": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, "text"), string(claim(given)))
			require.NoError(t, os.Mkdir(filepath.Join(tmp, given), 0o755))
			link(t, filepath.Join(tmp, "text"), filepath.Join(tmp, given, marker))
			return given
		},
		"without a lock": func(t *testing.T, tmp string) string {
			f := killed(t)
			require.NoError(t, os.Remove(f.lock.Path()))
			return filepath.Base(f.outer)
		},
		"a lock that is a link": func(t *testing.T, tmp string) string {
			f := killed(t)
			put(t, filepath.Join(tmp, "text"), "")
			require.NoError(t, os.Remove(f.lock.Path()))
			link(t, filepath.Join(tmp, "text"), f.lock.Path())
			return filepath.Base(f.outer)
		},
		"a marker that is a folder": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, given, marker, "thesis.tex"), "mine")
			return given
		},
		"a marker in a folder of another name": func(t *testing.T, tmp string) string {
			f := killed(t)
			require.NoError(t, os.Rename(f.outer, filepath.Join(tmp, given+"-copy")))
			return given + "-copy"
		},
		"a link to a folder that has one": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, "elsewhere", marker), string(claim(given)))
			put(t, filepath.Join(tmp, "elsewhere", "thesis.tex"), "mine")
			link(t, filepath.Join(tmp, "elsewhere"), filepath.Join(tmp, given))
			return given
		},
		"a file of that name": func(t *testing.T, tmp string) string {
			put(t, filepath.Join(tmp, given), string(claim(given)))
			return given
		},
	} {
		t.Run(what, func(t *testing.T) {
			tmp := t.TempDir()
			temporary(t, tmp)
			look := build(t, tmp)
			age(t, tmp)
			before := listing(t, tmp)
			Sweep(os.TempDir(), Stale)
			require.Equal(t, before, listing(t, tmp))
			require.Contains(t, before, look)
		})
	}
}

// listing lists everything below a folder.
func listing(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		all = append(all, strings.TrimPrefix(path, root+string(filepath.Separator)))
		return err
	}))
	return all
}
