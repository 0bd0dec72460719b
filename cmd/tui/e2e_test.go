//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// TestMain lets the tests run the dashboard, and the dashboard its helper of the
// sandbox: all are this very binary.
func TestMain(m *testing.M) {
	sandbox.Main()
	if os.Getenv(asDashboard) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const asDashboard = "STUBFORMER_TEST_DASHBOARD"

// patience is how long a test waits for something that takes a second or two on
// a machine that is not busy. Nothing depends on its size.
const patience = 2 * time.Minute

// dashboard is the program in a terminal of 80×24 without colour.
type dashboard struct {
	t      *testing.T
	kit    string
	tmp    string // of whatever the dashboard starts
	cmd    *exec.Cmd
	pty    *os.File
	screen *screen
	ended  chan error
}

// open starts the dashboard on a copy of the kit. It speaks English unless the
// environment says otherwise.
func open(t *testing.T, environment ...string) *dashboard {
	t.Helper()
	d := &dashboard{t: t, kit: copyKit(t), tmp: t.TempDir(), screen: newScreen(80, 24), ended: make(chan error, 1)}
	program, err := os.Executable()
	require.NoError(t, err)
	d.cmd = exec.Command(program)
	d.cmd.Dir = d.kit
	// In tmux a program does not ask the terminal for its colours.
	d.cmd.Env = append(os.Environ(), asDashboard+"=1", "TERM=tmux-256color", "NO_COLOR=1", "LC_ALL=C.UTF-8", "TMPDIR="+d.tmp)
	d.cmd.Env = append(d.cmd.Env, environment...)
	d.pty, err = pty.StartWithSize(d.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	require.NoError(t, err)
	read := make(chan struct{})
	go func() {
		io.Copy(d.screen, d.pty)
		close(read)
	}()
	go func() { // it has ended when its last word is on the screen
		err := d.cmd.Wait()
		<-read
		d.ended <- err
	}()
	t.Cleanup(func() {
		d.cmd.Process.Kill()
		d.pty.Close()
	})
	return d
}

// copyKit copies what a student's checkout holds.
func copyKit(t *testing.T) string {
	t.Helper()
	kit, root := t.TempDir(), filepath.Join("..", "..")
	for _, name := range []string{"steps", "solutions", "reference", "grader", "fixtures"} {
		require.NoError(t, os.CopyFS(filepath.Join(kit, name), os.DirFS(filepath.Join(root, name))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(kit, name), data, 0o644))
	}
	return kit
}

// press presses a key. Two letters in a row might be read as one: wait for what
// the first one does.
func (d *dashboard) press(key string) {
	_, err := io.WriteString(d.pty, key)
	require.NoError(d.t, err)
}

// The keys that are not letters.
const (
	enter  = "\r"
	down   = "\x1b[B"
	escape = "\x1b"
)

// see waits until the screen shows one of the texts.
func (d *dashboard) see(texts ...string) {
	d.t.Helper()
	until(d.t, func() bool {
		now := d.screen.String()
		for _, text := range texts {
			if strings.Contains(now, text) {
				return true
			}
		}
		return false
	}, func() string {
		return "waiting for " + strings.Join(texts, " or ") + "; the screen:\n" + d.screen.String()
	})
}

// until waits until something is so.
func until(t *testing.T, so func() bool, explain func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !so() {
		if ctx.Err() != nil {
			require.Fail(t, explain())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// save writes a step's file from its solution, edited.
func (d *dashboard) save(step *course.Step, file string, edit func(string) string) {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.kit, "solutions", step.Folder, file))
	require.NoError(d.t, err)
	require.NoError(d.t, os.WriteFile(filepath.Join(d.kit, "steps", step.Folder, file), []byte(edit(string(data))), 0o644))
}

// mistaken makes a known mistake of a step in one of its files.
func (d *dashboard) mistaken(step *course.Step, id string) func(string) string {
	d.t.Helper()
	mistakes, err := mistake.Load(d.kit, step.Folder)
	require.NoError(d.t, err)
	i := slices.IndexFunc(mistakes, func(m mistake.Mistake) bool { return m.ID == id })
	require.GreaterOrEqual(d.t, i, 0, id)
	return func(text string) string {
		changed, err := mistakes[i].Versions[0].Apply(map[string][]byte{step.Folder + "/x.go": []byte(text)})
		require.NoError(d.t, err)
		return string(changed[step.Folder+"/x.go"])
	}
}

// recorded waits until the history has so many attempts. Checks are shown as they
// end, and a file that is saved before the last of them begins the grading anew.
func (d *dashboard) recorded(n int) {
	d.t.Helper()
	until(d.t, func() bool { return len(d.history()) >= n },
		func() string { return fmt.Sprintf("waiting for attempt %d; the screen:\n%s", n, d.screen.String()) })
}

func (d *dashboard) history() []progress.Attempt {
	d.t.Helper()
	attempts, damaged, err := progress.Open(progress.Path(d.kit)).Read()
	require.NoError(d.t, err)
	require.Zero(d.t, damaged, "no line of the history is damaged")
	return attempts
}

// A student opens the dashboard, works on a step, and sees it go from not
// implemented to wrong values, with the right diagnosis, to passed.
func TestAStudentsDay(t *testing.T) {
	sweep.Only(t)
	step, err := course.Find(registry.Steps(), "rmsnorm")
	require.NoError(t, err)
	d := open(t)
	d.see("→ Next: step01")
	for range 3 {
		d.press(down)
	}
	d.press(enter)
	d.see("What you will build, and why")
	d.press("2")
	d.see("Nothing is written yet.")
	d.press("r")
	d.see("0/100, not implemented yet")

	d.save(step, "rmsnorm.go", d.mistaken(step, "eps-outside-root"))
	d.see("wrong values")
	d.see("ε is added outside the root")
	d.recorded(2)

	d.save(step, "rmsnorm.go", func(s string) string { return s })
	d.see("step04 graded in")
	d.see("100/100  ✓ passed")
	d.press("4")
	d.see("only the solution's")

	var verdicts []string
	for _, a := range d.history() {
		require.Equal(t, "step04", a.Step)
		verdicts = append(verdicts, a.Verdict)
	}
	require.Equal(t, []string{"not_implemented", "wrong_values", "passed"}, verdicts)

	d.press("q")
	require.NoError(t, <-d.ended)
	require.False(t, d.screen.Mode("?1049"), "the terminal is given back")
	left, err := os.ReadDir(d.tmp)
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file is left behind")
}

// The model of a run writes, token by token, with the code that one chooses.
func TestAModelWrites(t *testing.T) {
	sweep.Only(t)
	d := open(t)
	d.see("→ Next: step01")
	dir := filepath.Join(d.kit, "runs", "mine")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(d.kit, "reference", "models", "village-gqa"))))
	config, err := run.Open(dir)
	require.NoError(t, err)
	tiny, _ := run.Named("tiny")
	config.Corpus, config.Recipe = "village", tiny.Recipe
	require.NoError(t, config.Write(dir))
	d.press("t")
	d.see("runs/mine")
	d.press(down)
	d.see("▸ runs/mine")
	d.press("i")
	d.see("with the solutions")
	d.press("l")
	d.see("what may come next: ")
	d.press("b")
	d.see("The text begins:")
	d.press("Tom went to the")
	d.see("Tom went to the▏")
	d.press(enter)
	d.see("Tom went to the▌")
	d.press("-")
	d.see("temperature 0.7")
	d.press(enter)
	wrote := regexp.MustCompile(`Tom went to the [a-z]{3}`)
	until(t, func() bool { return wrote.MatchString(d.screen.String()) }, d.screen.String)
	d.press(escape)
	d.see("▸ runs/mine")
	d.press("q")
	require.NoError(t, <-d.ended)
	left, err := os.ReadDir(d.tmp)
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file is left behind")
}

// A terminal that goes away, and whoever asks the dashboard to end, ends it in good
// order. A handler of its own once made it hang in every second try.
func TestSignals(t *testing.T) {
	sweep.Only(t)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			d := open(t)
			d.see("→ Next: step01")
			require.NoError(t, d.cmd.Process.Signal(s))
			require.NoError(t, <-d.ended)
			require.False(t, d.screen.Mode("?1049"), "the terminal is given back")
		})
	}
}

// The locale chooses the language, of the lessons too.
func TestInChinese(t *testing.T) {
	sweep.Only(t)
	d := open(t, "LC_ALL=zh_CN.UTF-8")
	d.see("→ 下一步：step01")
	d.press(enter)
	d.see("你要写什么，为什么")
	d.press("q")
	require.NoError(t, <-d.ended)
}

// Outside of the kit the dashboard says so, in a sentence.
func TestOutsideOfTheKit(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), asDashboard+"=1", "LC_ALL=C.UTF-8")
	var said bytes.Buffer
	cmd.Stderr = &said
	require.Error(t, cmd.Run())
	require.Contains(t, said.String(), "does not lie in a checkout of Stubformer")
	require.NotContains(t, said.String(), "goroutine")
}
