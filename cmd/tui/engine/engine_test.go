package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// newKit makes a kit with a step that cannot be built: what these tests are
// about happens around the building.
func newKit(t *testing.T) (dir string, steps []*course.Step, e *engine.Engine) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "go.mod", "module github.com/stubformer/stubformer\n")
	write(t, dir, "steps/step01_init/init.go", "package initializers\n")
	steps = []*course.Step{{ID: "step01", Name: "initializers", Folder: "step01_init",
		Checks: []course.Check{{ID: "a", Points: 1}, {ID: "b", Points: 1}}, Hints: []course.Hint{{For: "a", Text: "Look."}}}}
	kit, err := workspace.Find(dir)
	require.NoError(t, err)
	e = engine.New(t.Context(), kit, nil, steps, time.Now)
	t.Cleanup(e.Close)
	return dir, steps, e
}

func write(t *testing.T, dir, name, data string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
}

// What is saved is noticed; what an editor keeps beside it is not.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		file   string
		notice bool
	}{
		"a file is saved":        {"init.go", true},
		"a file is added":        {"more.go", true},
		"the lesson":             {"README.md", false},
		"the binding":            {"init_test.go", false},
		"a swap file":            {".init.go.swp", false},
		"an editor's lock":       {".#init.go", false},
		"a file that Go ignores": {"_old.go", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, steps, e := newKit(t)
			w, first := e.Watch()
			seen := make(chan tea.Msg, 2)
			go func() { seen <- first() }()
			for !w.Began() {
				time.Sleep(time.Millisecond)
			}
			write(t, dir, "steps/step01_init/"+tt.file, "package initializers // changed\n")
			if tt.notice {
				require.Equal(t, engine.Changed{Watch: w, Steps: steps}, <-seen)
				return
			}
			// Something that counts comes after it, and only that is told.
			before := w.Seen()
			write(t, dir, "steps/step01_init/last.go", "package initializers\n")
			require.IsType(t, engine.Changed{}, <-seen)
			require.NotEqual(t, before, w.Seen())
			require.NotContains(t, w.Seen()["step01"], tt.file+" ")
		})
	}
}

func TestWatchStops(t *testing.T) {
	_, _, e := newKit(t)
	w, first := e.Watch()
	w.Stop()
	require.Nil(t, first())
}

// run does the two commands of a grading and returns what it tells at its end.
func run(cmd tea.Cmd, g *engine.Grading) tea.Msg {
	for _, c := range cmd().(tea.BatchMsg)[:1] {
		go c()
	}
	for {
		msg := g.Next()()
		if _, more := msg.(engine.Progress); !more {
			return msg
		}
	}
}

// What was graded is recorded, and a history that cannot be written is told.
func TestGradeRecords(t *testing.T) {
	dir, steps, e := newKit(t)
	g, cmd := e.Grade(steps[0], lang.Printer{}, 0)
	done := run(cmd, g).(engine.Graded)
	require.NoError(t, done.Err)
	require.NoError(t, done.Record)
	require.Equal(t, verdict.CompileError, done.Report.Verdict)
	attempts, err := progress.Open(progress.Path(dir)).Attempts()
	require.NoError(t, err)
	require.Len(t, attempts, 1)
	require.Equal(t, "compile_error", attempts[0].Verdict)
	require.Equal(t, map[string]string{"a": "compile_error", "b": "compile_error"}, attempts[0].Checks)

	require.NoError(t, os.Remove(progress.Path(dir)))
	require.NoError(t, os.Mkdir(progress.Path(dir), 0o755)) // where the history cannot be written
	g, cmd = e.Grade(steps[0], lang.Printer{}, 0)
	require.Error(t, run(cmd, g).(engine.Graded).Record)
}

// A grading that is cancelled before its file has settled tells nothing and
// leaves no attempt.
func TestCancelledGradingLeavesNothing(t *testing.T) {
	dir, steps, e := newKit(t)
	g, cmd := e.Grade(steps[0], lang.Printer{}, time.Hour)
	go func() {
		g.Next()() // it has begun
		g.Cancel()
	}()
	cmd().(tea.BatchMsg)[0]()
	require.Nil(t, g.Next()())
	require.NoFileExists(t, progress.Path(dir))
}

func TestCloseWaitsAndRefuses(t *testing.T) {
	_, steps, e := newKit(t)
	g, cmd := e.Grade(steps[0], lang.Printer{}, time.Hour)
	batch := cmd().(tea.BatchMsg)
	ended := make(chan struct{})
	go func() {
		batch[0]()
		close(ended)
	}()
	g.Next()()
	e.Close()
	<-ended
	require.Nil(t, e.Load()(), "nothing begins after the end")
}

func TestLoad(t *testing.T) {
	dir, _, e := newKit(t)
	write(t, dir, ".stubformer/history.jsonl",
		`{"step":"step01","score":1,"max":2,"verdict":"panic","checks":{"a":"passed","b":"panic"}}`+"\n{torn\n")
	got := e.Load()().(engine.Loaded)
	require.NoError(t, got.Err)
	require.Equal(t, 1, got.Course.Steps[0].Best.Score)
	require.Equal(t, 1, got.Course.Damaged)

	require.NoError(t, os.Remove(progress.Path(dir)))
	require.NoError(t, os.Mkdir(progress.Path(dir), 0o755))
	require.Error(t, e.Load()().(engine.Loaded).Err, "a history that cannot be read")
}

func TestHint(t *testing.T) {
	dir, steps, e := newKit(t)
	got := e.Hint(steps[0])().(engine.Hinted)
	require.NoError(t, got.Err)
	require.Equal(t, progress.Hint{Check: "a", N: 1, Of: 1, Text: "Look."}, got.Hint)
	attempts, err := progress.Open(progress.Path(dir)).Attempts()
	require.NoError(t, err)
	require.Equal(t, 1, progress.Hints(attempts, "step01", "a"), "as `grade hint` remembers it")

	write(t, dir, ".stubformer/history.jsonl", `{"step":"step01","max":2,"verdict":"panic","checks":{"a":"passed","b":"wrong_values"}}`+"\n")
	var none *progress.NoHintsError
	require.True(t, errors.As(e.Hint(steps[0])().(engine.Hinted).Err, &none))
}

// What grade records in another terminal is noticed, and told once.
func TestRecords(t *testing.T) {
	dir, _, e := newKit(t)
	first := e.Records(engine.Recorded{})().(engine.Recorded)
	seen := make(chan tea.Msg, 2)
	go func() { seen <- e.Records(first)() }()
	require.NoError(t, progress.Open(progress.Path(dir)).Append(progress.Attempt{Step: "step01", Score: 1, Max: 1}))
	second := <-seen
	require.IsType(t, engine.Recorded{}, second)
	require.NotEqual(t, first, second)
	go func() { seen <- e.Records(second.(engine.Recorded))() }()
	m := milestone.All()[0]
	require.NoError(t, trial.Result{Name: m.Name}.Save(dir, m))
	require.IsType(t, engine.Recorded{}, <-seen)
}
