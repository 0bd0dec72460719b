package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// A dashboard that is killed while it grades and trains leaves no process
// behind, and no damaged file.
func TestKilled(t *testing.T) {
	sweep.Only(t)
	d := open(t)
	d.hang()
	d.see("→ Next: step01")
	d.press("r")
	d.see("step01 graded in")
	d.press("t")
	d.see("a new run: tiny on village")
	d.press("i")
	d.see("Train a language model with the solutions")
	d.press(enter)
	d.see("training: step 3")
	d.press(escape)
	d.see("→ Next: step01")
	d.press("r")
	d.see("step01: building", "step01: check")
	require.NotEmpty(t, d.processes(), "the test would see them")
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGKILL))
	require.Error(t, <-d.ended)
	until(t, func() bool { return len(d.processes()) == 0 }, func() string {
		return fmt.Sprintf("these processes are left: %v", d.processes())
	})

	require.Len(t, d.history(), 1, "the grading that was recorded is there, the other one is not")
	dir := filepath.Join(d.kit, "runs", "tiny-village")
	_, err := run.Open(dir)
	require.NoError(t, err)
	steps, err := run.ReadLog(dir)
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	until(t, func() bool { // the system releases a killed program's lock a moment later
		unlock, err := run.Lock(dir)
		return err == nil && unlock() == nil
	}, func() string { return "the run is still locked" })
}

// hang makes the solution's training loop hang after three steps, as a student's
// may: then the program notices nothing, neither that it is asked to stop nor
// that nobody listens.
func (d *dashboard) hang() {
	path := filepath.Join(d.kit, "solutions", "step11_training", "run.go")
	data, err := os.ReadFile(path)
	require.NoError(d.t, err)
	const asks = "if ctx.Err() != nil {"
	require.Contains(d.t, string(data), asks)
	hung := strings.Replace(string(data), asks, "if t.Optimizer.Steps == 3 {\nfor {\n}\n}\n"+asks, 1)
	require.NoError(d.t, os.WriteFile(path, []byte(hung), 0o644))
}

// processes are those that the dashboard has started, or that these have, with
// their command lines: they have its temporary folder in their environment or on
// their command line.
func (d *dashboard) processes() map[int]string {
	found := map[int]string{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || len(command) == 0 || pid == d.cmd.Process.Pid {
			continue // it has ended, or it is the dashboard
		}
		if bytes.Contains(environment, []byte(d.tmp)) || bytes.Contains(command, []byte(d.tmp)) {
			found[pid] = strings.ReplaceAll(string(command), "\x00", " ")
		}
	}
	return found
}
