package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

// Every command fits into the terminal that it finds, in both languages, and shows
// signs and colours there and nowhere else.
func TestWidths(t *testing.T) {
	for _, args := range []string{"", "--help", "describe step02", "describe 11", "train --help", "hint step04 1", "history", "setp02"} {
		for _, columns := range []int{60, 80, 200} {
			for _, language := range lang.Names() {
				text := onTerminal(t, uint16(columns), append(strings.Fields(args), "--lang", language)...)
				require.NotEmpty(t, text)
				for line := range strings.Lines(text) {
					line = strings.TrimRight(line, "\r\n")
					if strings.HasPrefix(strings.TrimSpace(line), "go run ") {
						continue // commands are whole, to be copied
					}
					require.LessOrEqual(t, lang.Width(line), columns, "grade %s in %s: %q", args, language, line)
				}
			}
		}
	}
	require.Contains(t, onTerminal(t, 80), "\x1b[2m○ untouched")
	plain, err := exec.Command("grade").Output()
	require.NoError(t, err)
	require.NotContains(t, string(plain), "\x1b")
	require.NotContains(t, string(plain), "○")
}

// A dumb terminal gets no sequences, only lines.
func TestDumbTerminal(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	for _, args := range []string{"", "step01 --impl solutions", "train --impl solutions --steps 2 --out " + run} {
		text := onA(t, "dumb", 80, strings.Fields(args)...)
		require.NotEmpty(t, text)
		require.NotContains(t, text, "\x1b", args)
	}
	require.Contains(t, onTerminal(t, 80, "step01", "--impl", "solutions"), "\r\x1b[Kstep01: check 1 of 7")
}

// onTerminal returns what grade writes to a terminal of the given width.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	return onA(t, "xterm", columns, args...)
}

// onA returns what grade writes to a terminal of the given kind and width.
func onA(t *testing.T, kind string, columns uint16, args ...string) string {
	t.Helper()
	cmd := exec.Command("grade", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM="+kind, "NO_COLOR=")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: columns})
	require.NoError(t, err)
	defer f.Close()
	var b bytes.Buffer
	_, err = io.Copy(&b, f)
	require.True(t, err == nil || errors.Is(err, syscall.EIO), "%v", err) // Linux ends a terminal so
	_ = cmd.Wait()
	return b.String()
}
