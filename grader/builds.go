package grader

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// subjects are the probes of one step: the ordinary one, and those that some
// checks need. Each is built when it is first asked for.
type subjects struct {
	open  func(*course.Build) (*probe.Subject, error)
	built map[*course.Build]*probe.Subject // nil stands for the ordinary build
	errs  map[*course.Build]error
}

func (g *run) subjects(ctx context.Context, step *course.Step) *subjects {
	budget := probe.NewBudget(g.Limits)
	return &subjects{
		open:  func(b *course.Build) (*probe.Subject, error) { return g.open(ctx, step, b, budget) },
		built: map[*course.Build]*probe.Subject{},
		errs:  map[*course.Build]error{},
	}
}

// of returns the subject of a build, which is not yet started when it is new.
func (s *subjects) of(b *course.Build) (*probe.Subject, error) {
	if s.built[b] == nil && s.errs[b] == nil {
		s.built[b], s.errs[b] = s.open(b)
	}
	return s.built[b], s.errs[b]
}

func (s *subjects) close() {
	for b, subject := range s.built {
		if s.errs[b] == nil {
			subject.Close()
		}
	}
}

// checks returns the checks that can be put to this subject, and those that
// cannot.
func (g *run) checks(step *course.Step) (checks []*course.Check, out leftOut) {
	keptBack, _ := course.WhyLeftOut(course.ErrKeptBack)
	for _, id := range step.KeptBack {
		out.add(keptBack, id)
	}
	for i := range step.Checks {
		check := &step.Checks[i]
		if why := g.missing(step, check.ID); why.Empty() {
			checks = append(checks, check)
		} else {
			out.add(why, check.ID)
		}
	}
	return checks, out
}

// missing says why a check cannot be put to this subject, if so.
func (g *run) missing(step *course.Step, check string) lang.Text {
	if g.Probe != "" && step.LooksInside(check) {
		return lang.T("they look inside a Go program and this subject is another")
	}
	if b := step.BuildFor(check); b != nil && g.Probe == "" {
		return b.Missing
	}
	return lang.Text{}
}

// open builds a probe of the step, under the overlay that the request describes,
// and returns it, not yet started, with the step's budget of time.
func (g *run) open(ctx context.Context, step *course.Step, special *course.Build, budget *probe.Budget) (*probe.Subject, error) {
	if g.Probe != "" {
		return probe.NewWithin(budget, probe.Shell(g.Probe, step.Whole().ID), g.Limits), nil
	}
	b, err := g.build(step)
	if err != nil {
		return nil, err
	}
	if err := g.endless.known(step, b); err != nil {
		return nil, err
	}
	if special != nil {
		b.Env = special.Env
	}
	out, err := os.MkdirTemp(g.dir, step.ID+"-")
	if err != nil {
		return nil, err
	}
	binary, err := g.Kit.Build(ctx, b, out)
	if err != nil {
		g.endless.note(step, err)
		return nil, err
	}
	if err := g.Fence.LetPass(g.dir, out); err != nil {
		return nil, err
	}
	return probe.NewWithin(budget, probe.Command{Path: binary, Env: b.Env, Box: cmp.Or(g.Fence.Sandbox(), g.Box)}, g.Limits), nil
}

// build decides whose code stands behind each step's import path: the graded
// code for the step itself, solutions for the steps before it.
func (g *run) build(step *course.Step) (workspace.Build, error) {
	graded := func(folder string) workspace.Source {
		if g.HandedIn != nil {
			return workspace.HandedIn(g.HandedIn[folder])
		}
		return map[Impl]workspace.Source{
			Mine: workspace.Own(), Solutions: workspace.Solutions(), Pristine: workspace.Pristine(),
		}[g.Impl]
	}
	folders, err := g.Kit.Folders()
	if err != nil {
		return workspace.Build{}, err
	}
	sources := map[string]workspace.Source{}
	for _, folder := range folders {
		switch {
		case folder == step.Folder || g.OwnStack && !slices.Contains(g.sound, folder) || !g.Kit.HasSolutions(folder):
			sources[folder] = graded(folder)
		default:
			sources[folder] = workspace.Solutions()
		}
	}
	return workspace.Build{Course: registry.Steps(), Step: step.Folder, Sources: sources, Overlay: g.Overlay, Fence: g.Fence}, nil
}

// earlier returns the ids of the steps below a step whose code is not known to be
// whole: all but the solutions.
func (g *run) earlier(step *course.Step) (ids []string) {
	for _, s := range course.Prerequisites(registry.Steps(), step) {
		if g.Probe != "" || g.OwnStack || !g.Kit.HasSolutions(s.Folder) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// refuse writes down a step that could not be begun: its maximum is what it is where
// the step can be begun.
func (g *run) refuse(result *report.Step, step *course.Step, err error) {
	checks, _ := g.checks(step)
	for _, check := range checks {
		c := g.refused(check, err)
		result.Message, result.Checks = c.Message, append(result.Checks, c)
	}
	result.Close()
}

// refused is a check whose probe could not be built: a compile error, a refused
// import or a build without end is the student's, anything else the grader's.
func (g *run) refused(check *course.Check, err error) report.Check {
	kind, message := verdict.GraderError, g.Lang.Say("the grader could not begin with this step, which is not your fault: %v", err)
	var compile *workspace.CompileError
	var refused *workspace.RefusedError
	var limit *workspace.BuildLimitError
	switch {
	case errors.As(err, &compile):
		kind, message = verdict.CompileError, g.Lang.Error(err)
	case errors.As(err, &refused):
		kind, message = verdict.Refused, g.Lang.Error(err)
	case errors.As(err, &limit):
		kind, message = verdict.Timeout, g.Lang.Error(err)
		if limit.Memory {
			kind = verdict.OutOfMemory
		}
	}
	if kind == verdict.GraderError {
		g.trouble[check.ID] = err
	}
	return report.Check{ID: check.ID, Title: g.title(check.Title), Max: check.Points, Verdict: kind,
		Message: untrusted.Text(message, untrusted.MaxMessage), Diagnosis: verdict.Diagnosis{Kind: "none"}}
}
