package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/class-worker/queue"
)

// TestKilledWorkers grades a small class twice: alone, and by three workers of
// which one is killed again and again. The gradebooks are the same.
func TestKilledWorkers(t *testing.T) {
	bin, class := t.TempDir(), t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = root
		return cmd
	}
	for _, name := range []string{"grade", "class-worker"} { // each in its own module
		out, err := command("go", "build", "-C", filepath.Join(root, "cmd", name), "-o", filepath.Join(bin, name), ".").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}

	solution, err := os.ReadFile(filepath.Join(root, "solutions/step01_init/init.go"))
	require.NoError(t, err)
	for name, code := range map[string]string{
		"ann": string(solution), "bob": string(solution) + "\n// Bob's.\n", "cem": "package initializers\n", "dan": string(solution) + "\nfunc {",
	} {
		folder := filepath.Join(class, name, "step01_init")
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "init.go"), []byte(code), 0o644))
	}
	grade := func(args ...string) (csv, reports string) {
		results := t.TempDir()
		args = append([]string{"class", class, "--out", results, "--steps", "01", "--seed", "5", "--sandbox", "limits", "--plain"}, args...)
		out, err := command(filepath.Join(bin, "grade"), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		read := func(name string) string {
			data, err := os.ReadFile(filepath.Join(results, name))
			require.NoError(t, err)
			return string(data)
		}
		return read("gradebook.csv"), read("gradebook.jsonl")
	}
	csv, reports := grade()
	require.Contains(t, csv, "ann")

	url, stop, err := queue.Embed(t.TempDir())
	require.NoError(t, err)
	defer stop()
	key := filepath.Join(t.TempDir(), "queue.key")
	_, err = queue.MakeKey(key)
	require.NoError(t, err)
	worker := func() *exec.Cmd {
		cmd := command(filepath.Join(bin, "class-worker"), "--queue", url, "--key", key, "--jobs", "1", "--patience", "2s")
		require.NoError(t, cmd.Start())
		return cmd
	}
	for range 2 {
		w := worker()
		defer func() { w.Process.Kill(); w.Wait() }()
	}
	var over atomic.Bool
	ended := make(chan int)
	go func() {
		kills := 0
		for ; !over.Load(); kills++ {
			w := worker()
			time.Sleep(2 * time.Second)
			w.Process.Kill()
			w.Wait()
		}
		ended <- kills
	}()
	gotCSV, gotReports := grade("--queue", url, "--key", key)
	over.Store(true)
	t.Logf("one worker was killed %d times", <-ended)
	require.Equal(t, csv, gotCSV)
	require.Equal(t, reports, gotReports)
}
