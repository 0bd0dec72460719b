// Package engine does the dashboard's work: it reads the history, watches the
// files, grades, trains and draws. Everything that reads, writes or takes time
// happens here, inside the commands that its methods return; what comes of it
// is a message.
package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/doctor"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Engine works on one kit.
type Engine struct {
	kit     *workspace.Kit
	box     *sandbox.Box // in which the student's code runs; nil for none
	steps   []*course.Step
	history *progress.History
	now     func() time.Time
	floor   func() float64 // the entropy of the village corpus, worked out once

	ctx    context.Context // done when the dashboard ends
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what is under way
}

// New returns an engine for a kit, which runs the student's code in a box; nil for
// none.
func New(ctx context.Context, kit *workspace.Kit, box *sandbox.Box, steps []*course.Step, now func() time.Time) *Engine {
	e := &Engine{kit: kit, box: box, steps: steps, history: progress.Open(progress.Path(kit.Root)), now: now,
		floor: sync.OnceValue(corpus.VillageEntropy)}
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e
}

// Close stops whatever is under way and waits for its end: nothing that the
// engine has started runs on.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
}

// Context returns a context for work that may be given up before the end.
func (e *Engine) Context() (context.Context, context.CancelFunc) { return context.WithCancel(e.ctx) }

// during makes a command of some work, for which Close waits. Work that has not
// begun by then does not begin.
func (e *Engine) during(do func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return nil
		}
		e.work.Add(1)
		e.mu.Unlock()
		defer e.work.Done()
		return do()
	}
}

// HasSolutions reports whether the kit holds the solutions of all steps.
func (e *Engine) HasSolutions() bool {
	return !slices.ContainsFunc(e.steps, func(s *course.Step) bool { return !e.kit.HasSolutions(s.Folder) })
}

// Loaded is the standing as the disk has it.
type Loaded struct {
	Course standing.Course
	Err    error // the history cannot be read
}

// Load reads the history and looks at what has been written.
func (e *Engine) Load() tea.Cmd {
	return e.during(func() tea.Msg {
		attempts, damaged, err := e.history.Read()
		touched, files := map[string]bool{}, map[string][]string{}
		for _, s := range e.steps {
			touched[s.Folder] = !e.kit.Untouched(s.Folder)
			files[s.Folder], _ = e.kit.StubFiles(s.Folder)
		}
		c := standing.New(e.steps, attempts, touched, files)
		c.Damaged = damaged
		results, keptErr := trial.Kept(e.kit.Root)
		outcomes := map[string]standing.Outcome{}
		for _, m := range milestone.All() {
			if r, ok := results[m.Name]; ok {
				outcomes[m.Name] = standing.Outcome{Loss: r.Loss, Sample: r.Sample, Wrong: len(r.Wrong(m)) > 0}
			}
		}
		return Loaded{c.WithMilestones(outcomes), errors.Join(err, keptErr)}
	})
}

// ReadOnly says that nothing can be recorded in the kit.
type ReadOnly struct{ Err error }

// Try tries whether attempts can be recorded, and says so if not.
func (e *Engine) Try() tea.Cmd {
	return e.during(func() tea.Msg {
		if err := doctor.Writable(e.kit); err != nil {
			return ReadOnly{err}
		}
		return nil
	})
}

// Hinted says that a hint was revealed.
type Hinted struct {
	Step string
	Hint progress.Hint
	Err  error
}

// Hint reveals the next hint for a step, as `grade hint` does.
func (e *Engine) Hint(step *course.Step) tea.Cmd {
	return e.during(func() tea.Msg {
		hint, err := e.history.RevealHint(step)
		return Hinted{step.ID, hint, err}
	})
}
