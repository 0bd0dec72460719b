package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newKit makes a kit with one program.
func newKit(t *testing.T) (root string) {
	root = t.TempDir()
	for _, dir := range []string{"fixtures", "grader", "reference"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	for name, text := range map[string]string{
		"go.mod":           "module example.org/kit\n\ngo 1.26.0\n",
		"go.sum":           "",
		"cmd/tool/main.go": "package main\n\nfunc main() { println(\"hello\") }\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// says runs a program and returns what it says.
func says(t *testing.T, path string) string {
	out, err := exec.Command(path).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

// Whoever wants a program that several want at once has it, whole, as soon as it is said to
// be there.
func TestSeveralAtOnce(t *testing.T) {
	root := newKit(t)
	compiled := make(chan string, 1000)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			path, err := Program(t.Context(), root, "tool", func(pkg string) { compiled <- pkg })
			if err != nil {
				t.Error(err)
				return
			}
			out, err := exec.Command(path).CombinedOutput()
			if err != nil || string(out) != "hello\n" {
				t.Errorf("%s says %q: %v", path, out, err)
			}
		})
	}
	all.Wait()
	close(compiled)
	times := map[string]int{}
	for pkg := range compiled {
		times[pkg]++
	}
	require.Equal(t, 1, times["example.org/kit/cmd/tool"])
}

// Where nothing can be locked, two may compile a program: it stays, whoever comes last.
func TestCompiledTwice(t *testing.T) {
	root := newKit(t)
	path := filepath.Join(root, "tool-0123456789abcdef"+executable())
	for range 2 {
		require.NoError(t, build(t.Context(), root, "tool", path, nil))
		require.Equal(t, "hello\n", says(t, path))
	}
}

// Older programs go, but not those that somebody may be about to run.
func TestOlderOnesGo(t *testing.T) {
	root := newKit(t)
	first, err := Program(t.Context(), root, "tool", nil)
	require.NoError(t, err)
	source := filepath.Join(root, "cmd", "tool", "main.go")
	change := func(to string) (path string) {
		require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() { println(\""+to+"\") }\n"), 0o644))
		path, err := Program(t.Context(), root, "tool", nil)
		require.NoError(t, err)
		require.Equal(t, to+"\n", says(t, path))
		return path
	}
	second := change("good day")
	require.Equal(t, "hello\n", says(t, first))
	hourAgo := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(first, hourAgo, hourAgo))
	third := change("good night")
	require.NoFileExists(t, first)
	require.FileExists(t, second)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(third), "tool-*"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{second, third}, left)
}

// What does not compile leaves nothing behind, and says why.
func TestDoesNotCompile(t *testing.T) {
	root := newKit(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd", "tool", "main.go"), []byte("package main\n\nfunc main() { x }\n"), 0o644))
	_, err := Program(t.Context(), root, "tool", nil)
	var failed *BuildError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, failed.Output, "undefined: x")
	left, err := filepath.Glob(filepath.Join(root, ".stubformer", "bin", "tool-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// Who waits for somebody else's compiler can be interrupted.
func TestWaitingIsInterrupted(t *testing.T) {
	root := newKit(t)
	dir := filepath.Join(root, ".stubformer", "bin")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	unlock, err := lock(t.Context(), filepath.Join(dir, "tool.lock"))
	require.NoError(t, err)
	defer unlock()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = Program(ctx, root, "tool", nil)
	require.ErrorIs(t, err, context.Canceled)
}
