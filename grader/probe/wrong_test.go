//go:build unix

package probe_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestMain builds testdata/wrong as a probe, once for all tests.
func TestMain(m *testing.M) {
	if os.Getenv(wrongProbe) != "" { // TestGraderIsKilled has started us
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "stubformer-wrong-")
	if err != nil {
		panic(err)
	}
	binary := filepath.Join(dir, "wrong")
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-tags=stubformer_probe", "-ldflags=-s -w", "-o", binary, "./testdata/wrong").CombinedOutput()
	if err != nil {
		panic(string(out))
	}
	os.Setenv(wrongProbe, binary)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

const wrongProbe = "STUBFORMER_TEST_WRONG"

// wrongProgram is testdata/wrong as a probe.
func wrongProgram() probe.Command { return probe.Command{Path: os.Getenv(wrongProbe)} }

// patient are limits that only a program that means it runs into.
func patient() probe.Limits {
	return probe.Limits{Start: time.Minute, Call: time.Minute, Memory: 512 << 20, Output: 64 << 20, Reply: 1 << 20}
}

// hasty are limits for programs that would run for ever.
func hasty() probe.Limits {
	l := patient()
	l.Call = 2 * time.Second
	return l
}

// taciturn are limits that the trace of many goroutines goes beyond.
func taciturn() probe.Limits {
	l := patient()
	l.Output = 256 << 10
	return l
}

func open(t *testing.T, c probe.Command, l probe.Limits) *probe.Subject {
	t.Helper()
	s := probe.New(c, l)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func input() wire.Values { return wire.Values{"x": wire.Float32s([]float32{1, 2, 3}, 3)} }

// requireRight asserts that the subject still answers rightly.
func requireRight(t *testing.T, s *probe.Subject) {
	t.Helper()
	out, err := s.Call(t.Context(), "right", input())
	require.NoError(t, err)
	require.Equal(t, wire.Values{"y": wire.Float32s([]float32{2, 4, 6}, 3)}, out)
}

// source is where the wrong functions stand, as a student would read it.
const source = "grader/probe/testdata/wrong/wrong.go:"

// whereItHung is what can be told of a loop without end: its place, on Linux.
func whereItHung() string {
	if runtime.GOOS == "linux" {
		return source
	}
	return ""
}

// wrong is a wrong function and what it earns.
type wrong struct {
	function string
	limits   probe.Limits // patient() if there are none
	kind     verdict.Kind
	refused  bool
	message  string // all of it
	detail   string // part of it; "" if there must be none
}

// requireVerdicts calls each function, and then a right one in the same subject.
func requireVerdicts(t *testing.T, table []wrong) {
	command := wrongProgram()
	for _, c := range table {
		t.Run(c.function, func(t *testing.T) {
			t.Parallel()
			if c.limits == (probe.Limits{}) {
				c.limits = patient()
			}
			s := open(t, command, c.limits)
			_, err := s.Call(t.Context(), c.function, input())
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.message, f.Message.String())
			require.Equal(t, c.kind, f.Kind)
			require.Equal(t, c.refused, f.Refused)
			require.Contains(t, f.Detail, c.detail)
			if c.detail == "" {
				require.Empty(t, f.Detail)
			}
			if s.Used() { // what it has left on the wire ends the next call, and no other
				s.Call(t.Context(), "right", input())
			}
			requireRight(t, s)
		})
	}
}

// The process does not survive these.
func TestDeaths(t *testing.T) {
	sweep.Only(t)
	requireVerdicts(t, []wrong{
		{function: "loop", limits: hasty(), kind: verdict.Timeout, detail: whereItHung(),
			message: "no answer within 2s during loop; is there a loop that does not end?"},
		{function: "allocate", kind: verdict.OutOfMemory, detail: source,
			message: "the program needs more memory than it may have, during allocate"},
		{function: "allocate.once", kind: verdict.OutOfMemory, detail: source,
			message: "the program needs more memory than it may have, during allocate.once"},
		{function: "child.exit", kind: verdict.Exited, detail: "The program printed:\nchild ",
			message: "the program ended itself (exit status 0) during child.exit"},
		{function: "exit", kind: verdict.Exited,
			message: "the program ended itself (exit status 0) during exit"},
		{function: "exit.words", kind: verdict.Exited, detail: "The program printed:\nlast words",
			message: "the program ended itself (exit status 3) during exit.words"},
		{function: "print", kind: verdict.Exited, detail: "The last lines that the program printed:\nmuch too much",
			message: "the program printed more than 64 MiB during print, and was stopped"},
		{function: "print.endless", kind: verdict.Exited, detail: "The last lines that the program printed:\nand on and on",
			message: "the program printed more than 64 MiB during print.endless, and was stopped"},
		{function: "recursion", kind: verdict.Panic, detail: source,
			message: "a function calls itself without end (stack overflow), during recursion"},
		{function: "deadlock", kind: verdict.Panic, detail: source,
			message: "deadlock: every goroutine waits for another, during deadlock"},
		{function: "deadlock.background", kind: verdict.Panic, detail: source,
			message: "deadlock: every goroutine waits for another, during deadlock.background"},
		{function: "deadlock.background", limits: taciturn(), kind: verdict.Panic, detail: source,
			message: "deadlock: every goroutine waits for another, during deadlock.background"},
		{function: "map", kind: verdict.Panic, detail: source,
			message: "two goroutines use one map at the same time (concurrent map writes), during map"},
		{function: "unlock", kind: verdict.Panic, detail: source,
			message: "the Go runtime stopped the program during unlock: sync: unlock of unlocked mutex"},
		{function: "panic.background", kind: verdict.Panic, detail: "panic: behind your back",
			message: "panic: behind your back (during panic.background)"},
	})
}

// These write to the wire what is not an answer, or close it.
func TestBrokenWire(t *testing.T) {
	requireVerdicts(t, []wrong{
		{function: "close", kind: verdict.Exited,
			message: "the program closed the grader's wire during close and went on running; it was stopped"},
		{function: "garbage", kind: verdict.Exited,
			message: "the program wrote something to the grader's wire during garbage that is not an answer (a header of 1651663207 bytes; the limit is 1048576), and was stopped"},
		{function: "forged", kind: verdict.Exited,
			message: "the program wrote something to the grader's wire during forged that is not an answer (it bears the number 4711, which the request has not), and was stopped"},
		{function: "forged.negative", kind: verdict.Exited,
			message: `the program wrote something to the grader's wire during forged.negative that is not an answer (array "y" has the negative dimension -1), and was stopped`},
		{function: "forged.first", kind: verdict.Exited,
			message: "the program wrote something to the grader's wire during forged.first that is not an answer (it bears the number 1, which the request has not), and was stopped"},
	})
}

// The process survives these and says itself what happened.
func TestPanicsAndErrors(t *testing.T) {
	requireVerdicts(t, []wrong{
		{function: "panic", kind: verdict.Panic, message: "panic: weird error 3"},
		{function: "panic.text", kind: verdict.Panic, message: "panic: plain text"},
		{function: "panic.long", kind: verdict.Panic, message: "panic: " + strings.Repeat("long ", 400) + "…"},
		{function: "panic.unprintable", kind: verdict.Panic,
			message: "panic: %!v(PANIC=Error method: no words)"},
		{function: "panic.index", kind: verdict.Panic, detail: source,
			message: "panic: runtime error: index out of range [8] with length 3"},
		{function: "goexit", kind: verdict.Panic,
			message: "panic: the function ended its goroutine (runtime.Goexit) and did not return"},
		{function: "todo", kind: verdict.NotImplemented, message: "step99: F is not implemented yet"},
		{function: "todo.pointer", kind: verdict.NotImplemented, message: "step99: F is not implemented yet"},
		{function: "todo.wrapped", kind: verdict.NotImplemented, message: "step99: F is not implemented yet"},
		{function: "todo.returned", kind: verdict.NotImplemented, message: "step99: F is not implemented yet"},
		{function: "no such function", kind: verdict.NotImplemented, message: "there is no function no such function"},
		{function: "shape", kind: verdict.TurnedDown, refused: true, message: "f: x: got shape (2), want (3)"},
		{function: "shape.pointer", kind: verdict.WrongValues,
			message: "the call broke its contract: the error is a *tensor.ShapeError, and reads: f: x: got shape (2), want (3); want a tensor.ShapeError or a tensor.IndexError, the value and no pointer to one, as the doc comment says"},
		{function: "shape.returned", kind: verdict.TurnedDown, refused: true, message: "wrapped: f: x: got shape (2), want (3)"},
		{function: "index", kind: verdict.TurnedDown, refused: true, message: "f: ids[0]: got 9, want 0 ≤ index < 3"},
		{function: "error", kind: verdict.TurnedDown, refused: true, message: "no such data"},
	})
}

// These return, or ask for, what cannot be.
func TestUnusableResults(t *testing.T) {
	requireVerdicts(t, []wrong{
		{function: "nil", kind: verdict.WrongShape, message: "the call returned nil for y"},
		{function: "negative", kind: verdict.Panic,
			message: `panic: the result cannot be used: array "y" has the negative dimension -1`},
		{function: "mismatch", kind: verdict.Panic,
			message: `panic: the result cannot be used: array "y" has shape (2, 3), which is 6 elements, but holds 5`},
		{function: "large", kind: verdict.WrongShape,
			message: `the answer during large: "y" is f32 (1024, 1024); an answer may hold 1 MiB`},
		{function: "missing", kind: verdict.Exited,
			message: `the program says that it was asked wrongly: the grader's request does not fit the binding: there is no argument "z"`},
		{function: "mistyped", kind: verdict.Exited,
			message: `the program says that it was asked wrongly: the grader's request does not fit the binding: "x" is f32; want i64`},
	})
}

// Who writes more than the folder may hold is stopped.
func TestFullDisk(t *testing.T) {
	limits := patient()
	limits.Disk = 16 << 20
	s := open(t, wrongProgram(), limits)
	_, err := s.Call(t.Context(), "fill", input())
	var f *verdict.Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, "the program had more than 16 MiB in files during fill, and was stopped", f.Message.String())
	requireRight(t, s)
}

// All subjects with one budget stop when it is spent, and say so.
func TestBudget(t *testing.T) {
	const spent = "the answers to all checks of a step may take 1ns together, and that time is used up; which checks are slow?"
	limits := patient()
	limits.Budget = time.Hour
	requireRight(t, open(t, wrongProgram(), limits))
	limits.Budget = time.Nanosecond
	budget := probe.NewBudget(limits)
	for range 2 {
		s := probe.NewWithin(budget, wrongProgram(), limits)
		_, err := s.Call(t.Context(), "right", input())
		for starved := new(stint.StarvedError); errors.As(err, &starved); { // by others, for more than 20 ns
			budget = probe.NewBudget(limits)
			require.NoError(t, s.Close())
			s = probe.NewWithin(budget, wrongProgram(), limits)
			_, err = s.Call(t.Context(), "right", input())
		}
		var f *verdict.Failure
		require.ErrorAs(t, err, &f)
		require.Equal(t, verdict.Timeout, f.Kind)
		require.Equal(t, spent, f.Message.String())
		require.NoError(t, s.Close())
	}
}

// What a program does before its first answer is remembered: the second call
// fails at once, and in the same way.
func TestStarts(t *testing.T) {
	sweep.Only(t)
	command := wrongProgram()
	for _, c := range []struct {
		how     string
		start   time.Duration
		kind    verdict.Kind
		message string
	}{
		{"exit", time.Minute, verdict.Exited, "the program ended itself (exit status 0) while starting"},
		{"panic", time.Minute, verdict.Panic, "panic: before the first call (while starting)"},
		{"allocate", time.Minute, verdict.OutOfMemory, "the program needs more memory than it may have, while starting"},
		{"loop", 2 * time.Second, verdict.Timeout, "no answer within 2s while starting; is there a loop that does not end?"},
		{"stranger", time.Minute, verdict.Exited, `the program does not speak stubformer/probe/v1: it began with "somebody/else/entirely"`},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			limits := patient()
			limits.Start = c.start
			program := command
			program.Env = []string{"WRONG_START=" + c.how}
			s := open(t, program, limits)
			_, first := s.Call(t.Context(), "right", input())
			var f *verdict.Failure
			require.ErrorAs(t, first, &f)
			require.Equal(t, c.message, f.Message.String())
			require.Equal(t, c.kind, f.Kind)
			f.Asked = lang.Raw("what a check writes into its failure stays there")
			_, second := s.Call(t.Context(), "right", input())
			require.ErrorAs(t, second, &f)
			require.Equal(t, c.message, f.Message.String())
			require.True(t, f.Asked.Empty())
		})
	}
}

// A program that somebody ends before it has answered anything, without a word, is begun
// once more, and not twice.
func TestVanishes(t *testing.T) {
	command := wrongProgram()
	for name, c := range map[string]struct {
		start, function string // where it vanishes
		once            bool
		message         string
	}{
		"once, at its start":      {"vanish", "right", true, ""},
		"once, in its first call": {"", "vanish", true, ""},
		"always, at its start":    {"vanish", "right", false, "the program ended itself (exit status 1) while starting"},
		"always, in a first call": {"", "vanish", false, "the program ended itself (exit status 1) during vanish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := command
			program.Env = []string{"WRONG_START=" + c.start}
			if c.once {
				program.Env = append(program.Env, "WRONG_MARK="+filepath.Join(t.TempDir(), "it has been ended"))
			}
			out, err := open(t, program, patient()).Call(t.Context(), c.function, input())
			if c.once {
				require.NoError(t, err)
				require.Equal(t, input()["x"].Shape, out["y"].Shape)
				return
			}
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.message, f.Message.String())
		})
	}
}

// One that has answered already is not: what it has kept for the next call is gone.
func TestVanishesLater(t *testing.T) {
	program := wrongProgram()
	program.Env = []string{"WRONG_MARK=" + filepath.Join(t.TempDir(), "it has been ended")}
	s := open(t, program, patient())
	requireRight(t, s)
	_, err := s.Call(t.Context(), "vanish", input())
	var f *verdict.Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, "the program ended itself (exit status 1) during vanish", f.Message.String())
}
