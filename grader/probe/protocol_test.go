package probe_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/newline"
	"github.com/stubformer/stubformer/reference/wire"
)

// block returns the fenced block of PROTOCOL.md that opens with this line.
func block(t *testing.T, opening string) string {
	t.Helper()
	text, err := os.ReadFile("PROTOCOL.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)\n```" + opening + "\n(.*?)```\n").FindSubmatch(newline.Unix(text))
	require.NotNil(t, found, "PROTOCOL.md has no block %q", opening)
	return string(found[1])
}

func TestExampleFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		m    wire.Message
	}{
		{"hello", wire.Message{Protocol: wire.Protocol, Values: wire.Values{}}},
		{"request", wire.Message{ID: 1, Call: "silu.forward", Values: wire.Values{"x": wire.Float32s([]float32{0, 1}, 2)}}},
		{"reply", wire.Message{ID: 1, Status: wire.OK, Values: wire.Values{"y": wire.Float32s([]float32{0, 0.7310586}, 2)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame, err := hex.DecodeString(strings.Join(strings.Fields(block(t, "hex "+c.name)), ""))
			require.NoError(t, err)
			m, err := wire.Read(bytes.NewReader(frame), wire.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, c.m, m)
			var b bytes.Buffer
			require.NoError(t, wire.Write(&b, m))
			require.Equal(t, frame, b.Bytes())
		})
	}
}

func TestDocumentedLimits(t *testing.T) {
	text, err := os.ReadFile("PROTOCOL.md")
	require.NoError(t, err)
	l, w := probe.DefaultLimits(), wire.DefaultLimits()
	for _, row := range []string{
		fmt.Sprintf("hello | %.0f seconds |", l.Start.Seconds()),
		fmt.Sprintf("one call | %.0f seconds |", l.Call.Seconds()),
		fmt.Sprintf("before the program starts) | %d GiB |", l.Memory>>30),
		fmt.Sprintf("error together | %d MiB for", l.Output>>20),
		fmt.Sprintf("data of one reply | %d MiB |", l.Reply>>20),
		fmt.Sprintf("header of one frame | %d MiB |", w.Header>>20),
		fmt.Sprintf("arrays in one frame | %d |", w.Arrays),
		fmt.Sprintf("at most %d dimensions", wire.MaxRank),
	} {
		require.Contains(t, string(text), row)
	}
}

// TestExampleProgram grades the Python program of PROTOCOL.md.
func TestExampleProgram(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "subject.py"), []byte(block(t, "python")), 0o600))
	t.Chdir(dir)
	limits := probe.DefaultLimits()
	s := probe.New(probe.Shell(fmt.Sprintf("%q subject.py", python), "step05"), limits)
	defer func() { require.NoError(t, s.Close()) }()

	out, err := s.Call(t.Context(), "silu.forward", wire.Values{"x": wire.Float32s([]float32{0, 1, -1, 1000, -1000, 2}, 3, 2)})
	require.NoError(t, err)
	require.Equal(t, []int{3, 2}, out["y"].Shape)
	require.InDeltaSlice(t, []float32{0, 0.7310586, -0.26894143, 1000, 0, 1.7615942}, out["y"].F32, 1e-6)

	var f *verdict.Failure
	_, err = s.Call(t.Context(), "dff", wire.Values{"d_model": wire.Int(512)})
	require.ErrorAs(t, err, &f)
	require.Equal(t, verdict.NotImplemented, f.Kind)
	require.Equal(t, "dff", f.What)

	_, err = s.Call(t.Context(), "silu.forward", nil)
	require.ErrorAs(t, err, &f)
	require.Equal(t, verdict.Panic, f.Kind)
	require.Equal(t, "panic: KeyError('x')", f.Message.String())
	require.Contains(t, f.Detail, "subject.py")
}

func TestShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the lines are for a Unix shell")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	t.Setenv("MINE", "is kept")
	for _, c := range []struct{ name, line, message, detail string }{
		{"a program that is not there", "/no/such/program", "the program ended itself (exit status 127) while starting", "/no/such/program"},
		{"a program that only prints", `sh -c 'echo "$PWD $MINE $STUBFORMER_STEP"'`, "the program ended itself (exit status 0) while starting", dir + " is kept step05"},
		{"a program that crashes", `sh -c 'kill -SEGV $$'`, "the program crashed while starting: segmentation fault", ""},
		{"a program that is killed", `sh -c 'kill -KILL $$'`, "the system killed the program while starting; that is what it does when memory runs out", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := probe.New(probe.Shell(c.line, "step05"), probe.DefaultLimits())
			_, err := s.Call(t.Context(), "silu.forward", nil)
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.message, f.Message.String())
			require.Contains(t, f.Detail, c.detail)
			require.NoError(t, s.Close())
			require.DirExists(t, dir, "a directory of the caller's own is not removed")
		})
	}
}

// A program that does not get as far as its hello is started once.
func TestBrokenStartIsNotTriedAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the line is for a Unix shell")
	}
	t.Chdir(t.TempDir())
	s := probe.New(probe.Shell(`sh -c 'echo started >> starts'`, "step05"), probe.DefaultLimits())
	for range 3 {
		_, err := s.Call(t.Context(), "silu.forward", nil)
		require.EqualError(t, err, "exited: the program ended itself (exit status 0) while starting")
	}
	require.NoError(t, s.Close())
	starts, err := os.ReadFile("starts")
	require.NoError(t, err)
	require.Equal(t, "started\n", string(starts))
}
