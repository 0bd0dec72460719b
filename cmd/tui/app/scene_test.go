package app_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/app"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/standing"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // the views show local times
	os.Exit(m.Run())
}

// steps is a small course that changes only when these tests want it to.
func steps() []*course.Step {
	titles := []string{"Initialisation, the first random weights", "Linear, a layer without bias", "SwiGLU, the gated feed-forward network"}
	names := []string{"initializers", "linear", "swiglu"}
	var all []*course.Step
	for i := range names {
		s := &course.Step{ID: fmt.Sprintf("step%02d", i+1), Name: names[i], Title: titles[i],
			Folder: fmt.Sprintf("step%02d_%s", i+1, names[i]),
			Checks: []course.Check{
				{ID: names[i] + ".forward", Title: "the forward pass agrees with PyTorch, on three fixtures of odd sizes", Points: 60},
				{ID: names[i] + ".backward", Title: "the gradients agree and are added", Points: 40},
			},
			Hints: []course.Hint{{For: names[i] + ".forward", Text: "Begin with the shapes."}, {For: names[i] + ".forward", Text: "One row at a time: multiply, add, divide."}},
		}
		if i > 0 {
			s.Needs = []string{all[i-1].ID}
		}
		all = append(all, s)
	}
	return all
}

// newKit makes a kit of the small course: with solutions, without a history.
func newKit(t *testing.T) *workspace.Kit {
	t.Helper()
	dir := t.TempDir()
	write := func(name, data string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
	write("go.mod", "module github.com/stubformer/stubformer\n")
	for _, s := range steps() {
		write("steps/"+s.Folder+"/README.md", lesson)
		write("steps/"+s.Folder+"/"+s.Name+".go", "package "+s.Name+"\n\nfunc F(x float64) float64 {\n\treturn x + x\n}\n")
		write("solutions/"+s.Folder+"/"+s.Name+".go", "package "+s.Name+"\n\n// F doubles x.\nfunc F(x float64) float64 {\n\treturn 2 * x // one operation, and the sentence behind it is long enough to be broken\n}\n")
	}
	kit, err := workspace.Find(dir)
	require.NoError(t, err)
	return kit
}

const lesson = "# Step 02: Linear\n\nLetters: B batch, D d_model.\n\n## What you will build, and why\n\n" +
	"A linear layer multiplies every row by a matrix. It is the part of a model that holds most of what it has learnt, and where most of the time goes.\n\n" +
	"```go\ny := x.MatMul(w)\n```\n\n| what | shape |\n|---|---|\n| weight | (out, in) |\n\n- one\n- two\n"

// desk is a dashboard on a desk: messages go in by hand, commands are kept.
type desk struct {
	t      *testing.T
	model  *app.Model
	engine *engine.Engine
	last   tea.Cmd
}

func newDesk(t *testing.T, profile termenv.Profile, dark bool) *desk {
	t.Helper()
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(dark)
	e := engine.New(t.Context(), newKit(t), steps(), func() time.Time { return at(0) })
	t.Cleanup(e.Close)
	d := &desk{t, app.New(theme.New(r), e, steps()), e, nil}
	d.last = d.model.Init()
	return d
}

func at(minute int) time.Time { return time.Date(2026, 3, 1, 14, minute, 0, 0, time.UTC) }

func (d *desk) send(messages ...tea.Msg) *desk {
	for _, m := range messages {
		_, d.last = d.model.Update(m)
	}
	return d
}

// press presses keys, and keeps the command that the last one leads to.
func (d *desk) press(names ...string) *desk {
	for _, name := range names {
		k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
		for _, special := range []tea.KeyType{tea.KeyEnter, tea.KeyEsc, tea.KeyDown, tea.KeyUp, tea.KeyLeft, tea.KeyRight, tea.KeyPgDown} {
			if (tea.Key{Type: special}).String() == name {
				k = tea.KeyMsg{Type: special}
			}
		}
		d.send(k)
	}
	return d
}

// keys presses keys, and does what each leads to, as far as that only reads.
func (d *desk) keys(names ...string) *desk {
	for _, name := range names {
		d.press(name)
		d.settle(d.last)
	}
	return d
}

// settle runs the commands that answer at once, and sends what they say.
func (d *desk) settle(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.settle(c)
		}
	case nil, tea.QuitMsg:
	default:
		_, more := d.model.Update(msg)
		d.settle(more)
	}
}

func (d *desk) size(width, height int) *desk {
	return d.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// standingOf is the standing after some attempts; touched are steps' names.
func standingOf(attempts []progress.Attempt, touched ...string) standing.Course {
	wrote, files := map[string]bool{}, map[string][]string{}
	for _, s := range steps() {
		for _, name := range touched {
			wrote[s.Folder] = wrote[s.Folder] || s.Name == name
		}
		files[s.Folder] = []string{s.Name + ".go"}
	}
	return standing.New(steps(), attempts, wrote, files)
}

func attempt(minute int, step string, score int, forward, backward string) progress.Attempt {
	a := progress.Attempt{Time: at(minute), Step: step, Score: score, Max: 100, Verdict: forward, Checks: map[string]string{}}
	if forward == "passed" {
		a.Verdict = backward
	}
	for _, s := range steps() {
		if s.ID == step {
			a.Checks[s.Checks[0].ID], a.Checks[s.Checks[1].ID] = forward, backward
		}
	}
	return a
}

var inf = math.Inf(1)
