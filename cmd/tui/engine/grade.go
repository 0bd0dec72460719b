package engine

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/place"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
)

// Grading is one step that is being graded.
type Grading struct {
	Step   *course.Step
	ctx    context.Context
	cancel context.CancelFunc
	news   chan tea.Msg
	now    func() time.Time
	at     grader.Event // what goes on
	since  time.Time    // when it began
}

// Graded is the end of a grading.
type Graded struct {
	Grading *Grading
	Report  *report.Step // nil if Err is not
	At      time.Time    // when it was recorded
	Took    time.Duration
	Err     error // the grader could not start
	Record  error // the attempt could not be recorded
}

// Progress is an event of a grading.
type Progress struct {
	Grading *Grading
	Event   grader.Event
	At      time.Time
}

// Grade grades a step and records the attempt, as `grade STEP` does. The report
// speaks the language of p. Its result counts, and is told, only after settle: by then a grading that was
// begun while a file was still being written has been cancelled.
func (e *Engine) Grade(step *course.Step, p lang.Printer, settle time.Duration) (*Grading, tea.Cmd) {
	ctx, cancel := context.WithCancel(e.ctx)
	g := &Grading{Step: step, ctx: ctx, cancel: cancel, news: make(chan tea.Msg), now: e.now, since: e.now()}
	work := e.during(func() tea.Msg {
		defer close(g.news)
		defer cancel()
		start := e.now()
		r, err := grader.Grade(ctx, grader.Request{Kit: e.kit, Steps: []*course.Step{step}, Impl: grader.Mine, Lang: p,
			Seed: uint64(rand.Uint32()), Limits: probe.DefaultLimits(), Box: e.box, Smallest: true},
			func(event grader.Event) { g.tell(ctx, Progress{g, event, e.now()}) })
		done := Graded{Grading: g, Err: err, Took: e.now().Sub(start)}
		if !wait(ctx, settle-done.Took) {
			return nil
		}
		if err == nil {
			done.Report, done.At = &r.Steps[0], e.now()
			done.Record = cmp.Or(progress.KeepSmallest(e.kit.Root, r), e.history.Record(r, done.At, progress.Told{Lang: p, Place: place.In(e.kit, "steps", e.steps)}))
		}
		g.tell(e.ctx, done)
		return nil
	})
	return g, tea.Batch(work, g.Next())
}

// Next returns what the grading has to tell next.
func (g *Grading) Next() tea.Cmd { return func() tea.Msg { return <-g.news } }

// Note takes what was told.
func (g *Grading) Note(p Progress) { g.at, g.since = p.Event, p.At }

// Doing says in a few words what goes on, and for how long once that is a while:
// "check 4 of 12, 3/10 s", of which a call may take ten.
func (g *Grading) Doing(p lang.Printer) string {
	said, most := p.Say("building"), 0*time.Second
	if g.at.Check != nil {
		said, most = p.Say("check %d of %d", g.at.Number, len(g.at.Step.Checks)), probe.DefaultLimits().Call
	}
	switch passed := g.now().Sub(g.since); {
	case g.since.IsZero() || passed < 2*time.Second:
	case most == 0:
		said += p.Say(", %.0f s", passed.Seconds())
	default:
		said += p.Say(", %.0f/%.0f s", passed.Seconds(), most.Seconds())
	}
	return said
}

// Cancel ends the grading. It tells nothing more and leaves no attempt.
func (g *Grading) Cancel() { g.cancel() }

// Cancelled reports whether the grading was cancelled, or has ended.
func (g *Grading) Cancelled() bool { return g.ctx.Err() != nil }

func (g *Grading) tell(ctx context.Context, m tea.Msg) {
	select {
	case g.news <- m:
	case <-ctx.Done():
	}
}

// wait waits for a duration and returns false if ctx is done before.
func wait(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}
