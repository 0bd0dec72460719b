package grader

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// subjects are the probes of one step: the ordinary one, and those that some
// checks need. Each is built when it is first asked for.
type subjects struct {
	open  func(*course.Build) (subject, error)
	built map[*course.Build]subject // nil stands for the ordinary build
	errs  map[*course.Build]error
}

// subject is a probe, and whether it shares its program with others.
type subject struct {
	*probe.Subject
	shared bool
}

func (g *run) subjects(ctx context.Context, step *course.Step) *subjects {
	budget := probe.NewBudget(g.Limits)
	return &subjects{
		open:  func(b *course.Build) (subject, error) { return g.open(ctx, step, b, budget) },
		built: map[*course.Build]subject{},
		errs:  map[*course.Build]error{},
	}
}

// of returns the subject of a build, which is not yet started when it is new.
func (s *subjects) of(b *course.Build) (*probe.Subject, error) {
	if s.built[b].Subject == nil && s.errs[b] == nil {
		s.built[b], s.errs[b] = s.open(b)
	}
	return s.built[b].Subject, s.errs[b]
}

// disturbed reports whether a probe that shares its program ended in a way in which the
// others may have a part: at its very start, or for want of memory.
func (s *subjects) disturbed(checks []report.Check) bool {
	hungry := slices.ContainsFunc(checks, func(c report.Check) bool { return c.Verdict == verdict.OutOfMemory })
	for _, one := range s.built {
		if one.shared && (hungry || one.Stillborn()) {
			return true
		}
	}
	return false
}

func (s *subjects) close() {
	for _, one := range s.built {
		if one.Subject != nil {
			one.Close()
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

// open returns a probe of the step, not yet started, with the step's budget of time.
// It is built unless that was done before, together with others.
func (g *run) open(ctx context.Context, step *course.Step, special *course.Build, budget *probe.Budget) (subject, error) {
	if g.Probe != "" {
		return subject{Subject: probe.NewWithin(budget, probe.Shell(g.Probe, step.Whole().ID), g.Limits)}, nil
	}
	b, err := g.build(step, special)
	if err != nil {
		return subject{}, err
	}
	if err := g.endless.known(step, b); err != nil {
		return subject{}, err
	}
	made, known := g.made[program{step.Folder, special}]
	if !known {
		if made, err = g.alone(ctx, b); err != nil {
			return subject{}, err
		}
	}
	if made.err != nil {
		g.endless.note(step.Folder, made.err)
		return subject{}, made.err
	}
	if err := g.Fence.LetPass(g.dir, filepath.Dir(made.Path), made.Path); err != nil {
		return subject{}, err
	}
	command := probe.Command{Path: made.Path, Env: append(made.Env, b.Env...), Box: cmp.Or(g.Fence.Sandbox(), g.Box)}
	return subject{probe.NewWithin(budget, command, g.Limits), made.Shared}, nil
}

// alone builds a probe that shares its program with no other.
func (g *run) alone(ctx context.Context, b workspace.Build) (made, error) {
	out, err := os.MkdirTemp(g.dir, b.Step+"-")
	if err != nil {
		return made{}, err
	}
	probes, errs := g.Kit.Probes(ctx, []workspace.Build{b}, out)
	return made{probes[0], errs[0]}, nil
}

// build decides whose code stands behind each step's import path: the graded
// code for the step itself, solutions for the steps before it.
func (g *run) build(step *course.Step, special *course.Build) (workspace.Build, error) {
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
	b := workspace.Build{Course: registry.Steps(), Step: step.Folder, Sources: sources, Overlay: g.Overlay, Fence: g.Fence}
	if special != nil {
		b.Env = special.Env
	}
	return b, nil
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
	case errors.As(err, &limit) && limit.Kind != workspace.OfSystem:
		kind, message = limitKind(limit), g.Lang.Error(err)
	}
	if kind == verdict.GraderError {
		g.trouble[check.ID] = err
	}
	return report.Check{ID: check.ID, Title: g.title(check.Title), Max: check.Points, Verdict: kind,
		Message: untrusted.Text(message, untrusted.MaxMessage), Diagnosis: verdict.Diagnosis{Kind: "none"}}
}

// limitKind is the verdict on a build that took more than it may.
func limitKind(limit *workspace.BuildLimitError) verdict.Kind {
	if limit.Kind == workspace.OfTime {
		return verdict.Timeout
	}
	return verdict.OutOfMemory
}
