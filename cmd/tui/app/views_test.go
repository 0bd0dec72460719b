package app_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/trainpage"
	"github.com/stubformer/stubformer/cmd/tui/page/writepage"
	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/grader/workspace/excerpt"
	"github.com/stubformer/stubformer/reference/wire"
)

var update = flag.Bool("update", false, "write the views as they are now")

// scenes are the screens that a person meets, each from a fresh start.
func scenes() map[string]func(d *desk) {
	midway := []progress.Attempt{attempt(0, "step01", 100, "passed", "passed"), attempt(5, "step02", 40, "wrong_values", "passed"),
		{Time: at(6), Step: "step02", Hint: 1, HintFor: "linear.forward"}, attempt(9, "step02", 60, "passed", "not_implemented")}
	lost := midway[:3]
	open := func(d *desk, attempts []progress.Attempt, keys ...string) {
		d.send(engine.Loaded{Course: d.standingOf(attempts, "linear")}).keys(keys...)
	}
	return map[string]func(d *desk){
		"map-newcomer": func(d *desk) { d.send(engine.Loaded{Course: d.standingOf(nil)}) },
		"map-midway":   func(d *desk) { open(d, midway) },
		"map-wrong": func(d *desk) {
			wrong := slices.Clone(lost)
			wrong[1].Causes = []report.Finding{
				{What: d.words.cause, Do: d.words.cure, Where: "steps/step02_linear/linear.go:41", Checks: 1, Points: 60},
				{What: d.words.other, Checks: 1, Points: 40}}
			open(d, wrong)
		},
		"map-end": func(d *desk) { d.send(engine.Loaded{Course: d.finished()}) },
		"map-electives": func(d *desk) {
			c := d.standingOf(nil)
			elective := *c.Steps[2].Step
			elective.Track = course.Inference
			c.Steps[2].Step = &elective
			d.send(engine.Loaded{Course: c})
		},
		"map-long": func(d *desk) {
			c := d.standingOf(nil)
			for i := len(c.Steps); i < 22; i++ {
				s, step := c.Steps[2], *c.Steps[2].Step
				step.ID, s.Step = fmt.Sprintf("step%02d", i+1), &step
				if i >= 11 {
					step.Track = []course.Track{course.Inference, course.Text}[i/17]
				}
				c.Steps = append(c.Steps, s)
			}
			d.send(engine.Loaded{Course: c}).keys(slices.Repeat([]string{"down"}, 13)...)
		},
		"map-milestones": func(d *desk) {
			c := d.standingOf(midway).WithMilestones(map[string]standing.Outcome{
				"bigram": {Loss: 1.98, Sample: "La tut rangasheloasiforskeng. e he thed, t ay, ay helloumit aske wanthe wa"},
				"window": {Wrong: true, Loss: 0.92, Sample: "Late is day was brothers. At the mill ago\nGreta wanted"}})
			for i := range 3 {
				c.Milestones[i].Waits = nil
			}
			d.send(engine.Loaded{Course: c})
		},
		"card": func(d *desk) {
			d.send(engine.Loaded{Course: d.finished()}).press("c")
			d.send(engine.Card{Card: card.Card{Steps: []card.Step{{Number: "01", Name: "initializers", Passed: true}, {Number: "02", Name: "linear", Passed: true},
				{Number: "12", Name: "kvcache", Elective: true}}, Model: "tiny-village", Loss: 0.2322, Floor: 0.0919, TokensPerSecond: 34966, Times: 57.3,
				Sentence: "Late in the autumn Jon the smith went to the market with her brother.",
				Curves:   []card.Curve{{Name: "tiny-village", X: []float64{1, 100, 400, 800}, Y: []float64{4.2, 1.9, 0.5, 0.23}}}}})
		},
		"card-nothing": func(d *desk) {
			open(d, midway)
			d.press("c").send(engine.Card{Card: card.Card{Steps: []card.Step{{Number: "01", Name: "initializers"}}}})
		},
		"map-unreadable":  func(d *desk) { d.send(engine.Loaded{Course: d.standingOf(nil), Err: os.ErrPermission}) },
		"lesson":          func(d *desk) { open(d, midway, "enter", "1") },
		"checks-before":   func(d *desk) { d.send(engine.Loaded{Course: d.standingOf(nil)}).keys("enter", "2") },
		"checks-recorded": func(d *desk) { open(d, lost, "enter", "2") },
		"checks-wrong":    func(d *desk) { open(d, lost, "enter"); d.grade(d.wrongReport()) },
		"checks-compile":  func(d *desk) { open(d, lost, "enter"); d.grade(d.compileReport()) },
		"checks-grading": func(d *desk) {
			open(d, lost, "enter")
			d.grade(d.wrongReport())
			d.press("r")
			g, r := d.model.Grading(), d.stepReport(verdict.Passed, report.Check{Verdict: verdict.Passed, Points: 60, Seconds: 0.25})
			d.send(engine.Progress{Grading: g, Event: grader.Event{Step: g.Step, Check: &g.Step.Checks[0], Number: 1, Result: &r.Checks[0]}, At: at(0)},
				engine.Progress{Grading: g, Event: grader.Event{Step: g.Step, Check: &g.Step.Checks[1], Number: 2}, At: at(0).Add(-4 * time.Second)})
		},
		"checks-passed": func(d *desk) {
			open(d, lost, "enter")
			d.grade(d.stepReport(verdict.Passed, report.Check{Verdict: verdict.Passed, Points: 60, Seconds: 0.25}))
			d.press("enter")
		},
		"hints":         func(d *desk) { open(d, lost, "enter"); d.grade(d.wrongReport()); d.keys("h") },
		"compare-early": func(d *desk) { open(d, lost, "enter", "4") },
		"keys":          func(d *desk) { open(d, midway, "?") },
		"find":          func(d *desk) { open(d, midway, "enter", "1", "/", "w", "h", "a", "t", "enter") },
		"nowhere":       func(d *desk) { open(d, midway, "enter", "1", "/", "q", "q", "enter") },
		"readonly":      func(d *desk) { open(d, midway); d.send(engine.ReadOnly{Err: os.ErrPermission}) },
		"compare":       func(d *desk) { d.send(engine.Loaded{Course: d.finished()}).keys("enter", "4") },
		"history":       func(d *desk) { open(d, midway, "enter", "5") },
		"train-choice":  func(d *desk) { open(d, midway, "t"); d.send(engine.Runs{Runs: []runs.Run{trained(800)}}) },
		"train-running": func(d *desk) {
			open(d, midway, "t")
			d.train()
			d.send(slices.Repeat([]tea.Msg{trainpage.Typed{}}, 50)...)
		},
		"train-typing": func(d *desk) {
			open(d, midway, "t")
			d.train()
			d.send(slices.Repeat([]tea.Msg{trainpage.Typed{}}, 10)...)
		},
		"write-building": func(d *desk) { open(d, midway, "t"); d.letWrite() },
		"write":          func(d *desk) { open(d, midway, "t"); d.letWrite(); d.wrote(false) },
		"write-ended":    func(d *desk) { open(d, midway, "t"); d.letWrite(); d.wrote(true) },
		"write-prompt":   func(d *desk) { open(d, midway, "t"); d.letWrite(); d.wrote(false); d.press("b", "O", "n", "c", "e") },
		"write-refused": func(d *desk) {
			open(d, midway, "t")
			d.letWrite()
			d.send(engine.WriterEnded{Writer: d.model.Writer(), Err: lang.Errorf("%s has no checkpoint yet; train it first: go run ./cmd/grade train --resume %s", "runs/x", "runs/x")})
		},
		"pictures-none": func(d *desk) {
			open(d, midway)
			d.press("p").send(engine.Runs{}).press("right", "right", "right")
		},
		"picture": func(d *desk) {
			open(d, midway)
			d.press("p").send(engine.Drawn{Asked: engine.Asked{Name: "init", Impl: "mine"}, Chart: picture()})
		},
	}
}

// grade tells the dashboard how a grading ended.
func (d *desk) grade(r *report.Step) {
	d.press("r").send(engine.Graded{Grading: d.model.Grading(), Report: r})
}

func (d *desk) train() {
	d.send(engine.Runs{}).press("enter").send(d.last())
	t := d.model.Run()
	r := trained(0)
	r.Steps = nil
	d.send(engine.TrainingBegun{Training: t, Run: r}, engine.TrainingEvent{Training: t, Event: run.Event{Start: &run.Start{Params: 112200, TokensPerStep: 768}}})
	for _, s := range trained(300).Steps {
		d.send(engine.TrainingEvent{Training: t, Event: run.Event{Step: &s}})
	}
}

// letWrite opens the page on which the model of the first run writes.
func (d *desk) letWrite() {
	d.send(engine.Runs{Runs: []runs.Run{trained(800)}}).press("down", "l").send(d.last())
}

// wrote is the end of a text of characters, each a little more surprising.
func (d *desk) wrote(ended bool) {
	a := writepage.Answer{Next: []writepage.Guess{{Text: "t", P: 0.61}, {Text: " ", P: 0.22}, {Text: "\n", P: 0.1}, {Text: "é", P: 0.05}}, Rest: 0.02, Can: 9, Ended: ended}
	for i, c := range []rune("\nTom went to the river with his old horse, and there he found a silver key that nobody had los") {
		a.Tokens = append(a.Tokens, i)
		a.Pieces = append(a.Pieces, writepage.Piece{Text: string(c), Surprise: float64(i%50) / 10})
	}
	a.Pieces[0].Surprise = math.NaN()
	w := d.model.Writer()
	d.send(engine.WriterReady{Writer: w}, engine.Written{Writer: w, Answer: a})
}

func (d *desk) finished() standing.Course {
	return d.standingOf([]progress.Attempt{attempt(0, "step01", 100, "passed", "passed"), attempt(1, "step02", 100, "passed", "passed"),
		attempt(2, "step03", 100, "passed", "passed")}, "linear")
}

func (d *desk) wrongReport() *report.Step {
	want, got := wire.Value{DType: wire.F32, Shape: []int{2, 3, 5}}, wire.Value{DType: wire.F32, Shape: []int{2, 3, 5}}
	for i := range 30 {
		want.F32 = append(want.F32, float32(i%7)-2.5)
		got.F32 = append(got.F32, float32(i%7)-2.5)
		if i%5 > 2 {
			got.F32[i] *= 2
		}
	}
	got.F32[4] = float32(inf)
	f := verdict.Wrong(lang.T("fixture \"odd\": linear.forward with x (2, 3, 4), w (5, 4)"), verdict.Compare("y", got, want, 1e-6), verdict.Given{})
	f.Diagnosis = verdict.Diagnosis{Kind: verdict.Mistake, ID: "twice", Text: lang.Raw(d.words.mistake)}
	return d.stepReport(verdict.WrongValues, report.Check{Verdict: f.Kind, Failure: f, Message: f.In(d.lang), Diagnosis: f.Diagnosis})
}

func (d *desk) compileReport() *report.Step {
	return d.stepReport(verdict.CompileError, report.Check{Verdict: verdict.CompileError,
		Message: d.lang.Error(&workspace.CompileError{
			Lines: []workspace.CompileLine{{File: "steps/step02_linear/linear.go", Line: 4, Col: 9, Message: "undefined: y"},
				{File: "steps/step02_linear/linear.go", Line: 9, Col: 2, Message: "missing return"}},
			Excerpt: excerpt.Of([]byte("package linear\n\nfunc (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {\n\treturn y\n}\n"), 4, 9),
		})})
}

// stepReport is a report of step02 whose first check went as told.
func (d *desk) stepReport(kind verdict.Kind, first report.Check) *report.Step {
	checks := steps(d.words)[1].Checks
	first.ID, first.Title, first.Max = checks[0].ID, checks[0].Title, checks[0].Points
	score := checks[1].Points
	return &report.Step{ID: "step02", Score: &score, Max: 100, Verdict: kind, Checks: []report.Check{first,
		{ID: checks[1].ID, Title: checks[1].Title, Max: score, Points: score, Verdict: verdict.Passed}}}
}

// trained is a run after some steps of 800.
func trained(steps int) runs.Run {
	r := runs.Run{Run: figure.Run{Name: "tiny-village", Floor: 0.092}, Dir: "runs/tiny-village", When: at(0)}
	r.Config.Corpus, r.Config.Recipe.Steps = "village", 800
	for n := 0; n <= steps; n += 10 {
		s := run.Step{Step: n, Loss: 0.3 + 4/(1+float64(n)/40), TokensPerSecond: 32400}
		if n%100 == 0 {
			s.ValidationLoss = new(s.Loss + 0.05)
			s.Sample = fmt.Sprintf("Sample %d. Tom went to the river with his old horse, and there he found a silver key that nobody had lost.", n)
			for i := range s.Sample {
				s.Surprise = append(s.Surprise, float64(i%50)/10)
			}
		}
		r.Steps = append(r.Steps, s)
	}
	return r
}

func picture() *chart.Chart {
	line := func(name string, f func(x float64) float64) chart.Line {
		l := chart.Line{Name: name}
		for i := -40; i <= 40; i++ {
			x := float64(i) / 10
			l.X, l.Y = append(l.X, x), append(l.Y, f(x))
		}
		return l
	}
	return &chart.Chart{Name: "init", Title: "Two lines and a matrix", Subtitle: "of a test", Columns: 2, Panels: []chart.Panel{
		{Title: "lines", X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y"},
			Lines: []chart.Line{line("identity", func(x float64) float64 { return x }), line("square", func(x float64) float64 { return x * x })},
			Marks: []chart.Mark{{Label: "limit: 10", At: 10}}},
		{Title: "matrix", X: chart.Axis{Label: "key"}, Y: chart.Axis{Label: "query"},
			Heat: &chart.Heat{Label: "weight", Rows: []string{"a", "b", "c"}, Cols: []string{"a", "b", "c"}, Max: 1,
				Values: [][]float64{{1, 0, 0}, {0.5, 0.5, 0}, {0.1, 0.3, 0.6}}}},
	}}
}

// Every screen, at three sizes, is as it was when somebody last looked at it;
// in Chinese at the two small ones, where there is the least room.
func TestViews(t *testing.T) {
	for name, play := range scenes() {
		t.Run(name, func(t *testing.T) {
			view(t, name, "en", play, [2]int{60, 20}, [2]int{80, 24}, [2]int{120, 40}, [2]int{160, 50})
			view(t, name+".zh", "zh", play, [2]int{60, 20}, [2]int{80, 24})
		})
	}
}

// view compares a screen at some sizes with what is kept of it in a file.
func view(t *testing.T, name, language string, play func(d *desk), sizes ...[2]int) {
	var got txtar.Archive
	for _, s := range sizes {
		d := newDeskIn(t, language, termenv.Ascii, true).size(s[0], s[1])
		play(d)
		lines := strings.Split(d.model.View(), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		got.Files = append(got.Files, txtar.File{Name: fmt.Sprintf("%d×%d", s[0], s[1]), Data: []byte(strings.Join(lines, "\n") + "\n")})
	}
	path := filepath.Join("testdata", name+".txtar")
	if *update {
		require.NoError(t, os.WriteFile(path, txtar.Format(&got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with -update")
	require.Equal(t, string(want), string(txtar.Format(&got)))
}

// No screen is larger than its window, at any size, in both languages, with and
// without colour, on light and dark backgrounds.
func TestViewsFit(t *testing.T) {
	for name, play := range scenes() {
		for _, language := range lang.Names() {
			for _, profile := range []termenv.Profile{termenv.Ascii, termenv.TrueColor} {
				for i, s := range [][2]int{{60, 20}, {61, 33}, {80, 24}, {99, 24}, {119, 40}, {160, 50}, {250, 80}} {
					d := newDeskIn(t, language, profile, i%2 == 0).size(s[0], s[1])
					play(d)
					fits(t, d.model.View(), s[0], s[1], fmt.Sprintf("%s in %s at %v", name, language, s))
				}
			}
		}
	}
}

func fits(t *testing.T, view string, width, height int, what string) {
	lines := strings.Split(view, "\n")
	require.Len(t, lines, height, what)
	for _, line := range lines {
		require.LessOrEqual(t, ansi.StringWidth(line), width, "%s: %q", what, line)
	}
}

// The line of keys is one, whatever the width, and says where all of them stand: every key
// that does something.
func TestHelpIsWhole(t *testing.T) {
	d := newDesk(t, termenv.Ascii, true).size(60, 20)
	d.send(engine.Loaded{Course: d.standingOf(nil)})
	lines := strings.Split(d.model.View(), "\n")
	require.Equal(t, "↑↓ step   enter read   tab next step   r grade   ? all keys", strings.TrimSpace(lines[len(lines)-1]))
	help := func() string { return strings.Join(strings.Fields(d.press("?").model.View()), " ") }
	words := help()
	for _, key := range []string{"↑↓ step", "enter read", "tab next step", "r grade", "t train", "p pictures", "w stop watching", "q quit"} {
		require.Contains(t, words, key)
	}
	d.size(100, 30).press("esc", "t")
	d.letWrite()
	words = help()
	for _, key := range []string{"enter write on", "→ one token", "+/- temperature", "[ ] top-p", "a from the beginning"} {
		require.Contains(t, words, key)
	}
}

// A key means one thing: two pages that use it say the same of it.
func TestKeysMeanOneThing(t *testing.T) {
	d := newDesk(t, termenv.Ascii, true).size(160, 50)
	said := map[string]string{}
	for _, b := range d.model.Bindings() {
		for _, k := range b.Keys() {
			if len(k) > 1 || !strings.Contains(b.Help().Key, k) {
				continue // arrows, enter and esc go where one is, and have second names
			}
			if was, ok := said[k]; ok && was != b.Help().Desc && !(strings.Contains(was, "save") && strings.Contains(b.Help().Desc, "save")) {
				t.Errorf("%s means %q and %q", k, was, b.Help().Desc)
			}
			said[k] = b.Help().Desc
		}
	}
	require.Greater(t, len(said), 15)
}
