package class

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Local grades on this machine. A step is graded on the solutions of the steps
// before it, so its result depends on the files of its own folder alone: the
// same folder, handed in by two students, is built and graded once.
type Local struct {
	kit    *workspace.Kit
	steps  []*course.Step
	fence  *workspace.Fence
	limits probe.Limits
	lang   lang.Printer
	terms  Terms
	set    string // hash of the fixtures

	flight singleflight.Group
	mu     sync.Mutex
	graded map[string]report.Step // by step and hash of the folder
	warm   map[string]*warming    // by step
}

// warming fills the build cache for a step, once.
type warming struct {
	mu   sync.Mutex
	done bool
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

// NewLocal returns a grader. It reads the whole kit, to know its hash.
func NewLocal(s Settings) (*Local, error) {
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
		graded: map[string]report.Step{}, warm: map[string]*warming{}}
	for _, step := range s.Steps {
		l.terms.Steps = append(l.terms.Steps, step.ID)
		l.warm[step.ID] = &warming{}
	}
	return l, nil
}

// Terms returns what beside a submission decides its result.
func (l *Local) Terms() Terms { return l.terms }

// Grade grades a submission.
func (l *Local) Grade(ctx context.Context, s *Submission) (*report.Report, error) {
	r := &report.Report{Schema: report.Schema, Kit: course.Version, Fixtures: l.set, Impl: "dir", Seed: l.terms.Seed, Sandbox: l.terms.Sandbox}
	for _, step := range l.steps {
		result, err := l.step(ctx, s, step)
		if err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, result)
	}
	return r, r.Fit()
}

// step grades one step of a submission, or finds it graded.
func (l *Local) step(ctx context.Context, s *Submission, step *course.Step) (report.Step, error) {
	switch {
	case s.Refused != "":
		return l.without(step, verdict.Refused, lang.Raw(s.Refused)), nil
	case s.Folders[step.Folder] == nil:
		return l.without(step, verdict.NotImplemented, s.Missing(step.Folder)), nil
	}
	key := step.ID + " " + s.StepHash(step.Folder)
	l.mu.Lock()
	result, known := l.graded[key]
	l.mu.Unlock()
	if known {
		return result, nil
	}
	got, err, _ := l.flight.Do(key, func() (any, error) {
		result, err := l.grade(ctx, s, step)
		if err == nil && result.Verdict != verdict.GraderError {
			l.mu.Lock()
			l.graded[key] = result
			l.mu.Unlock()
		}
		return result, err
	})
	if err != nil {
		return report.Step{}, err
	}
	return got.(report.Step), nil
}

func (l *Local) grade(ctx context.Context, s *Submission, step *course.Step) (report.Step, error) {
	if err := l.warmUp(ctx, step); err != nil {
		return report.Step{}, err
	}
	req := grader.Request{Kit: l.kit, Steps: []*course.Step{step}, HandedIn: s.Folders, Fence: l.fence,
		Seed: l.terms.Seed, Limits: l.limits, Lang: l.lang}
	r, err := grader.Grade(ctx, req, nil)
	if err == nil && r.GraderFailed() { // somebody may have emptied the build cache
		if err = grader.Warm(ctx, l.kit, step); err == nil {
			r, err = grader.Grade(ctx, req, nil)
		}
	}
	if err != nil {
		return report.Step{}, err
	}
	result := r.Steps[0]
	for i := range result.Checks {
		result.Checks[i].Seconds = 0 // never twice the same
	}
	return result, nil
}

// warmUp prepares a step, unless that is done. What could not be done for one
// submission is tried again for the next.
func (l *Local) warmUp(ctx context.Context, step *course.Step) error {
	w := l.warm[step.ID]
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return nil
	}
	err := grader.Warm(ctx, l.kit, step)
	w.done = err == nil
	return err
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
