package grader

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// blame finds where the fault of a step lies that failed on one's own earlier
// steps: in the first of those that is broken; else, if the step is right on the
// solutions, in the one whose solution makes it right; else in the step itself.
// What an earlier step has done wrong is given no name of a mistake in this one.
func (g *run) blame(ctx context.Context, step *course.Step, result *report.Step) {
	earlier := course.Prerequisites(registry.Steps(), step)
	for _, s := range earlier {
		if r := g.step(ctx, s); r.Verdict != verdict.Passed && r.Verdict != verdict.GraderError {
			g.unname(result)
			result.Message = g.Lang.Say("First broken step: %s (%s, %s, %s). Repair it first: go run ./cmd/grade %s\n%s",
				s.ID, s.Name, r.Points(), r.Verdict.Text(), s.ID, result.Message)
			return
		}
	}
	if len(earlier) == 0 || !g.passesOn(ctx, step, earlier...) {
		return
	}
	g.unname(result)
	for _, s := range earlier {
		if g.passesOn(ctx, step, s) {
			result.Message = g.Lang.Say("The fault lies in %s (%s), though it passes its own checks: with its solution this step is right.\n%s",
				s.ID, s.Name, result.Message)
			return
		}
	}
	result.Message = g.Lang.Say("The fault lies in the steps before this one, though they pass their own checks: on their solutions this step is right.\n%s", result.Message)
}

// standsOnOwn reports whether a step that failed was graded on one's own earlier steps,
// and nothing but them may be the reason: without being asked to, as where there are no
// solutions, only values that no known mistake explains are.
func (g *run) standsOnOwn(step *course.Step, result *report.Step) bool {
	if g.OwnStack {
		return true
	}
	values, named := false, false
	for _, c := range result.Checks {
		values = values || c.Failure != nil && (c.Failure.Kind.OfValues() || c.Failure.Kind == verdict.TooCostly)
		named = named || c.Failure != nil && c.Failure.Diagnosis.Kind == verdict.Mistake
	}
	return values && !named && g.Probe == "" && slices.ContainsFunc(course.Prerequisites(registry.Steps(), step), func(s *course.Step) bool {
		return !g.Kit.HasSolutions(s.Folder)
	})
}

// passesOn reports whether a step passes with the solutions of some earlier ones.
// It is not known where the kit lacks one of them.
func (g *run) passesOn(ctx context.Context, step *course.Step, sound ...*course.Step) bool {
	on := *g
	on.made, on.sound, on.Overlay, on.watch, on.Marks = nil, nil, maps.Clone(g.Overlay), func(Event) {}, nil
	for _, s := range sound {
		if !g.Kit.HasSolutions(s.Folder) {
			return false
		}
		on.sound = append(on.sound, s.Folder)
	}
	maps.DeleteFunc(on.Overlay, func(name string, _ []byte) bool {
		folder, _, _ := strings.Cut(name, "/")
		return slices.Contains(on.sound, folder)
	})
	return on.step(ctx, step).Verdict == verdict.Passed
}

// unname takes the names of mistakes from the checks of a step.
func (g *run) unname(result *report.Step) {
	for i := range result.Checks {
		if c := &result.Checks[i]; c.Failure != nil && c.Failure.Diagnosis.Kind == verdict.Mistake {
			c.Failure.Diagnosis = verdict.Diagnosis{Kind: verdict.Unexplained}
			g.say(c)
		}
	}
}
