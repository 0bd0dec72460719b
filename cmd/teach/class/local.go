package class

import (
	"context"
	"os"
	"sync"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Local grades on this machine. A step is graded on the solutions of the steps
// before it, so its result depends on the files of its own folder alone: the
// same folder, handed in by two students, is built and graded once. What is to be
// graded of one submission is built together.
type Local struct {
	kit    *workspace.Kit
	steps  []*course.Step
	fence  *workspace.Fence
	limits probe.Limits
	lang   lang.Printer
	terms  Terms
	set    string // hash of the fixtures

	mu     sync.Mutex
	graded map[string]*grading // by step and hash of the folder; guarded by mu
}

// grading is the result of a step, once it has ended.
type grading struct {
	step   *course.Step
	key    string
	ended  chan struct{}
	result report.Step
	err    error
}

// Settings are how a Local grades.
type Settings struct {
	Kit    *workspace.Kit
	Steps  []*course.Step
	Fence  *workspace.Fence
	Limits probe.Limits
	Lang   lang.Printer
	Seed   uint64 // of the fresh random cases, the same ones for every student
}

// NewLocal returns a grader. It reads the whole kit, to know its hash. The error is a
// *room.FullError if there is too little room to grade strangers.
func NewLocal(s Settings) (*Local, error) {
	if err := room.Enough(os.TempDir(), true); err != nil {
		return nil, err
	}
	hash, err := KitHash(s.Kit)
	if err != nil {
		return nil, err
	}
	set, err := fixtures.Load()
	if err != nil {
		return nil, err
	}
	l := &Local{set: set.Hash(), kit: s.Kit, steps: s.Steps, fence: s.Fence, limits: s.Limits, lang: s.Lang,
		terms:  Terms{Kit: hash, Seed: s.Seed, Sandbox: string(s.Fence.Sandbox().Level())},
		graded: map[string]*grading{}}
	for _, step := range s.Steps {
		l.terms.Steps = append(l.terms.Steps, step.ID)
	}
	return l, nil
}

// Terms returns what beside a submission decides its result.
func (l *Local) Terms() Terms { return l.terms }

// Grade grades a submission.
func (l *Local) Grade(ctx context.Context, s *Submission) (*report.Report, error) {
	all, own := l.gradings(s)
	l.grade(ctx, s, own)
	r := &report.Report{Schema: report.Schema, Kit: course.Version, Fixtures: l.set, Impl: "dir", Seed: l.terms.Seed, Sandbox: l.terms.Sandbox}
	for _, g := range all {
		select {
		case <-g.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if g.err != nil {
			return nil, g.err
		}
		r.Steps = append(r.Steps, g.result)
	}
	return r, r.Fit()
}

// gradings returns those of all steps, and of them the ones that nobody else has begun:
// they are to be done now.
func (l *Local) gradings(s *Submission) (all, own []*grading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, step := range l.steps {
		g := &grading{step: step, key: step.ID + " " + s.StepHash(step.Folder), ended: make(chan struct{})}
		switch known := l.graded[g.key]; {
		case s.Refused != "":
			g.result = l.without(step, verdict.Refused, lang.Raw(s.Refused))
			close(g.ended)
		case s.Folders[step.Folder] == nil:
			g.result = l.without(step, verdict.NotImplemented, s.Missing(step.Folder))
			close(g.ended)
		case known != nil:
			g = known
		default:
			l.graded[g.key] = g
			own = append(own, g)
		}
		all = append(all, g)
	}
	return all, own
}

// grade does gradings of one submission, and forgets those that the grader could not
// finish: they are tried again for the next.
func (l *Local) grade(ctx context.Context, s *Submission, own []*grading) {
	results, err := l.results(ctx, s, own)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, g := range own {
		if g.err = err; err == nil {
			g.result = results[i]
		}
		if err != nil || g.result.Verdict == verdict.GraderError {
			delete(l.graded, g.key)
		}
		close(g.ended)
	}
}

func (l *Local) results(ctx context.Context, s *Submission, own []*grading) ([]report.Step, error) {
	if len(own) == 0 {
		return nil, nil
	}
	req := grader.Request{Kit: l.kit, HandedIn: s.Folders, Fence: l.fence, Seed: l.terms.Seed, Limits: l.limits, Lang: l.lang, Smallest: true}
	for _, g := range own {
		req.Steps = append(req.Steps, g.step)
	}
	r, err := grader.Grade(ctx, req, nil)
	if err != nil {
		return nil, err
	}
	for i := range r.Steps {
		for c := range r.Steps[i].Checks {
			r.Steps[i].Checks[c].Seconds = 0 // never twice the same
		}
	}
	return r.Steps, nil
}

// without is the result of a step of which there is nothing to be graded.
func (l *Local) without(step *course.Step, kind verdict.Kind, why lang.Text) report.Step {
	result := report.Of(step, l.lang)
	result.Message = why.In(l.lang)
	for _, c := range step.Checks {
		result.Checks = append(result.Checks, report.Check{ID: c.ID, Title: lang.Of(c.Title).In(l.lang), Max: c.Points,
			Verdict: kind, Message: result.Message, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}})
	}
	result.Close()
	return result
}
