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

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/app"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // the views show local times
	os.Exit(m.Run())
}

// words are what the small course of these tests says.
type words struct {
	lesson, mistake   string
	cause, cure       string    // of what is wrong in the last attempt
	other             string    // that is wrong there
	titles            [3]string // of the steps
	forward, backward string
	hints             [2]string
}

// said is the course in the language of a printer's name.
func said(name string) words {
	if name == "zh" {
		return words{
			lesson:   lessonZh,
			titles:   [3]string{"初始化：最初的随机权重", "线性层，没有偏置", "SwiGLU：带门控的前馈网络"},
			forward:  "前向计算与 PyTorch 一致，三个尺寸为奇数的标准用例都要通过，空批次也可以",
			backward: "两个梯度都一致，并且是累加",
			hints:    [2]string{"先看形状。", "一次一行：相乘，相加，相除。"},
			cause:    "输出的最后几列被加了两次",
			cure:     "每一行开头用 =，之后用 +=：同一块内存里可能还留着上一次的结果。",
			other:    "调用没有返回错误，参数却不合法",
			mistake:  "你的输出与最后几列被加了两次时的结果完全一致。\n在行首用 =，之后用 +=。",
		}
	}
	return words{
		lesson:   lesson,
		titles:   [3]string{"Initialisation, the first random weights", "Linear, a layer without bias", "SwiGLU, the gated feed-forward network"},
		forward:  "the forward pass agrees with PyTorch, on three fixtures of odd sizes",
		backward: "the gradients agree and are added",
		hints:    [2]string{"Begin with the shapes.", "One row at a time: multiply, add, divide."},
		cause:    "the last columns of the output are added twice",
		cure:     "Write = where the row begins, += after it: the memory may hold what a call before has left there.",
		other:    "what is not valid is not refused",
		mistake:  "Your output matches exactly what you get when the last columns are added twice.\nFix: Write = where the row begins, += after it.",
	}
}

// steps is a small course that changes only when these tests want it to.
func steps(w words) []*course.Step {
	names := []string{"initializers", "linear", "swiglu"}
	var all []*course.Step
	for i := range names {
		s := &course.Step{ID: fmt.Sprintf("step%02d", i+1), Name: names[i], Title: w.titles[i], Track: course.Core,
			Folder: fmt.Sprintf("step%02d_%s", i+1, names[i]),
			Checks: []course.Check{
				{ID: names[i] + ".forward", Title: w.forward, Points: 60},
				{ID: names[i] + ".backward", Title: w.backward, Points: 40},
			},
			Functions: []fixtures.Function{{Name: names[i] + ".forward", Formula: "y = x·Wᵀ"}},
			Hints:     []course.Hint{{For: names[i] + ".forward", Text: w.hints[0]}, {For: names[i] + ".forward", Text: w.hints[1]}},
		}
		if i > 0 {
			s.Needs = []string{all[i-1].ID}
		}
		all = append(all, s)
	}
	return all
}

// newKit makes a kit of the small course: with solutions, without a history.
func newKit(t *testing.T, steps []*course.Step) *workspace.Kit {
	t.Helper()
	dir := t.TempDir()
	write := func(name, data string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
	write("go.mod", "module github.com/stubformer/stubformer\n")
	for _, s := range steps {
		write("steps/"+s.Folder+"/README.md", lesson)
		write("steps/"+s.Folder+"/README.zh-CN.md", lessonZh)
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

const lessonZh = "# 步骤 02：线性层\n\n[English](README.md)\n\n字母约定：B 批大小，D d_model。\n\n## 你要写什么，为什么\n\n" +
	"线性层把每一行乘以一个矩阵。模型学到的东西大部分在这里，时间也大部分花在这里。**每一行**都与 `W` 的每一行做点积，结果是 (N, out)。\n\n" +
	"```go\ny := x.MatMul(w)\n```\n\n| 内容 | 形状 |\n|---|---|\n| 权重 | (out, in) |\n\n" +
	"- 一项，长到在窄的窗口里要换行：dW 是 dyᵀ·x，dx 是 dy·W，二者都只用到前向保存下来的东西。\n- 两项\n"

// desk is a dashboard on a desk: messages go in by hand, commands are kept.
type desk struct {
	t      *testing.T
	words  words
	lang   lang.Printer
	model  *app.Model
	engine *engine.Engine
	last   tea.Cmd
}

func newDesk(t *testing.T, profile termenv.Profile, dark bool) *desk {
	t.Helper()
	return newDeskIn(t, "en", profile, dark)
}

// newDeskIn is newDesk in another language.
func newDeskIn(t *testing.T, name string, profile termenv.Profile, dark bool) *desk {
	t.Helper()
	p, err := lang.For(name)
	require.NoError(t, err)
	w := said(name)
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(dark)
	e := engine.New(t.Context(), newKit(t, steps(w)), nil, steps(w), func() time.Time { return at(0) })
	t.Cleanup(e.Close)
	d := &desk{t, w, p, app.New(theme.New(r), p, e, steps(w)), e, nil}
	d.last = d.model.Init()
	return d
}

// plain gives the desk a terminal of ASCII.
func (d *desk) plain() {
	look := theme.New(lipgloss.NewRenderer(io.Discard))
	look.Plain = true
	d.model = app.New(look, d.lang, d.engine, steps(d.words))
	d.last = d.model.Init()
	d.size(80, 24)
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
func (d *desk) standingOf(attempts []progress.Attempt, touched ...string) standing.Course {
	wrote, files := map[string]bool{}, map[string][]string{}
	for _, s := range steps(d.words) {
		for _, name := range touched {
			wrote[s.Folder] = wrote[s.Folder] || s.Name == name
		}
		files[s.Folder] = []string{s.Name + ".go"}
	}
	return standing.New(steps(d.words), attempts, wrote, files)
}

func attempt(minute int, step string, score int, forward, backward string) progress.Attempt {
	a := progress.Attempt{Time: at(minute), Step: step, Score: score, Max: 100, Verdict: forward, Checks: map[string]string{}}
	if forward == "passed" {
		a.Verdict = backward
	}
	for _, s := range steps(words{}) {
		if s.ID == step {
			a.Checks[s.Checks[0].ID], a.Checks[s.Checks[1].ID] = forward, backward
		}
	}
	return a
}

var inf = math.Inf(1)
