//go:build unix

package probe_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// alive reports whether a process exists and is not just waiting for its parent
// to read its exit status.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return !alive(pid) }, time.Minute, 5*time.Millisecond, "process %d is still there", pid)
}

// ask calls a function that has one integer result.
func ask(t *testing.T, s *probe.Subject, function, result string) int {
	t.Helper()
	out, err := s.Call(t.Context(), function, input())
	require.NoError(t, err)
	require.Equal(t, wire.I64, out[result].DType)
	return int(out[result].I64[0])
}

func TestRightAnswers(t *testing.T) {
	s := open(t, wrongProgram(), patient())
	t.Run("a result comes back", func(t *testing.T) { requireRight(t, s) })
	t.Run("NaN and infinity are values", func(t *testing.T) {
		out, err := s.Call(t.Context(), "nan", input())
		require.NoError(t, err)
		require.True(t, math.IsNaN(float64(out["y"].F32[0])))
		require.Equal(t, []float32{float32(math.Inf(-1)), 3}, out["y"].F32[1:])
	})
	t.Run("standard output is not the wire", func(t *testing.T) {
		_, err := s.Call(t.Context(), "stdout", input())
		require.NoError(t, err)
	})
	t.Run("a process serves many calls", func(t *testing.T) {
		pid := ask(t, s, "pid", "pid")
		requireRight(t, s)
		require.Equal(t, pid, ask(t, s, "pid", "pid"))
	})
	t.Run("calls may come together", func(t *testing.T) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { requireRight(t, s) })
		}
		all.Wait()
	})
	t.Run("arguments that cannot be written are the caller's fault", func(t *testing.T) {
		_, err := s.Call(t.Context(), "right", wire.Values{"x": wire.Float32s(nil, 3)})
		require.EqualError(t, err, `the arguments of right: array "x" has shape (3), which is 3 elements, but holds 0`)
		requireRight(t, s)
	})
}

// What an earlier call left behind may end a later one. That is told as it is, for the
// call may be about a layer that no other process has; and it is known that the process
// had answered others.
func TestLateDeath(t *testing.T) {
	command := wrongProgram()
	for _, c := range []struct{ function, why string }{
		{"exit.later", "a goroutine ends the process after the answer"},
		{"garbage.later", "a goroutine writes to the wire after the answer"},
	} {
		t.Run(c.function, func(t *testing.T) {
			t.Parallel()
			s := open(t, command, patient())
			for range 3 {
				require.False(t, s.Used())
				_, err := s.Call(t.Context(), c.function, input())
				require.NoError(t, err, c.why)
				require.True(t, s.Used())
				require.Eventually(t, func() bool { _, err = s.Call(t.Context(), "right", input()); return err != nil }, time.Minute, 10*time.Millisecond)
				var f *verdict.Failure
				require.ErrorAs(t, err, &f)
				require.Equal(t, verdict.Exited, f.Kind)
				require.False(t, s.Used(), "the next call has a new process")
			}
		})
	}
}

func TestSurroundings(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "do not tell")
	command := wrongProgram()
	command.Env = []string{"ADDED=yes"}
	s := open(t, command, patient())
	out, err := s.Call(t.Context(), "surroundings", input())
	require.NoError(t, err)
	dir := out["dir"].Text
	require.Equal(t, []int64{0}, out["files"].I64, "the working directory is empty")
	want := []string{"HOME=" + dir, "TMPDIR=" + dir, "ADDED=yes", "GOMEMLIMIT=" + strconv.Itoa(384<<20)}
	require.Subset(t, strings.Split(out["env"].Text, "\n"), want)
	require.NotContains(t, out["env"].Text, "SECRET_TOKEN")
	require.NotContains(t, out["env"].Text, "STUBFORMER_PROBE", "the wire is not advertised to what the student starts")

	out, err = s.Call(t.Context(), "inherited", input())
	require.NoError(t, err)
	require.Equal(t, []bool{false}, out["inherited"].Bool, "a child of the student's does not hold the wire")

	require.NoError(t, s.Close())
	require.NoDirExists(t, dir)
}

func TestLockedDirectoryIsRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := probe.New(wrongProgram(), patient())
	_, err := s.Call(t.Context(), "locked", input())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestChildrenAreKilled(t *testing.T) {
	command := wrongProgram()
	t.Run("by Close", func(t *testing.T) {
		s := probe.New(command, patient())
		pid := ask(t, s, "child", "pid")
		require.True(t, alive(pid))
		require.NoError(t, s.Close())
		requireGone(t, pid)
	})
	t.Run("when their parent has ended itself", func(t *testing.T) {
		requireGone(t, childOf(t, command, "child.exit"))
	})
	t.Run("unless they leave the group, and then they hold nothing up", func(t *testing.T) {
		pid := childOf(t, command, "child.detached")
		require.True(t, alive(pid), "Capabilities says otherwise")
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	})
}

// childOf calls a function that starts a child, prints its number and ends the
// process.
func childOf(t *testing.T, command probe.Command, function string) int {
	t.Helper()
	s := open(t, command, patient())
	_, err := s.Call(t.Context(), function, input())
	var f *verdict.Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, verdict.Exited, f.Kind)
	_, number, found := strings.Cut(f.Detail, "child ")
	require.True(t, found, f.Detail)
	pid, err := strconv.Atoi(number)
	require.NoError(t, err)
	return pid
}

func TestCancel(t *testing.T) {
	s := open(t, wrongProgram(), patient())
	pid := ask(t, s, "pid", "pid")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := s.Call(ctx, "loop", input())
	require.ErrorIs(t, err, context.Canceled)
	requireGone(t, pid)
	_, err = s.Call(ctx, "right", input())
	require.ErrorIs(t, err, context.Canceled, "also while starting")
	requireRight(t, s)
}

func TestMissingProgram(t *testing.T) {
	_, err := open(t, probe.Command{Path: "/no/such/program"}, patient()).Call(t.Context(), "right", nil)
	require.ErrorContains(t, err, "cannot start the program")
	var f *verdict.Failure
	require.NotErrorAs(t, err, &f, "that is not the student's fault")
}

func TestNothingIsLeft(t *testing.T) {
	command := wrongProgram()
	require.NoError(t, open(t, command, patient()).Close(), "a subject that was never called")
	limits := patient()
	limits.Call = 200 * time.Millisecond // whether a call is in time does not matter here
	goroutines := runtime.NumGoroutine()
	for _, function := range []string{"right", "loop", "exit", "child.exit", "print", "garbage", "panic", "large"} {
		s := probe.New(command, limits)
		s.Call(t.Context(), function, input())
		s.Call(t.Context(), function, input())
		require.NoError(t, s.Close())
	}
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
}

// TestGraderIsKilled kills a grader in the middle of a call. It runs this test
// binary again for that, as the grader.
func TestGraderIsKilled(t *testing.T) {
	const busy = "STUBFORMER_TEST_BUSY"
	if os.Getenv(busy) != "" {
		s := probe.New(wrongProgram(), patient())
		fmt.Println(ask(t, s, "pid", "pid"))
		s.Call(t.Context(), "loop", input())
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a busy program with its parent")
	}
	grader := exec.Command(os.Args[0], "-test.run=^TestGraderIsKilled$")
	grader.Env = append(os.Environ(), busy+"=yes", "TMPDIR="+t.TempDir())
	words, err := grader.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, grader.Start())
	line, err := bufio.NewReader(words).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, alive(pid))
	require.NoError(t, grader.Process.Kill())
	grader.Wait()
	requireGone(t, pid)
}

func TestCapabilitiesAreSaid(t *testing.T) {
	var names []string
	for _, c := range probe.Capabilities() {
		require.False(t, c.Text.Empty())
		names = append(names, c.Name.String())
	}
	require.Equal(t, []string{"time limit", "memory limit", "end of the grader", "sandbox"}, names)
}
