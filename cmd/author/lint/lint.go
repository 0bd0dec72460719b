// Package lint examines the course itself: every stub compiles and is not
// implemented, every solution has full marks, hints, lessons and fixtures exist
// and agree, stubs and solutions export the same API.
package lint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// minHints is how many hints every step has at least.
const minHints = 3

// Problem is one thing that is wrong with the course.
type Problem struct {
	Step string // its id, or "" for the whole course
	Text string
}

func (p Problem) String() string { return strings.TrimPrefix(p.Step+": "+p.Text, ": ") }

// Check examines the course of a kit and returns what is wrong with it. Its
// error says that the examination itself could not be carried out.
func Check(ctx context.Context, kit *workspace.Kit, watch func(grader.Event)) ([]Problem, error) {
	set, err := fixtures.Load()
	if err != nil {
		return nil, err
	}
	var problems []Problem
	steps := registry.Steps()
	for _, step := range steps {
		for _, text := range lintUses(ctx, kit, steps, step) {
			problems = append(problems, Problem{step.ID, text})
		}
		for _, text := range slices.Concat(lintData(step, set), lintFiles(kit, step), lintAPI(kit, step), lintTodo(kit, step), lintMistakes(kit, step)) {
			problems = append(problems, Problem{step.ID, text})
		}
	}
	if err := workspace.CheckPristine(kit.Root); err != nil {
		problems = append(problems, Problem{"", err.Error()})
	}
	graded, err := lintGrades(ctx, kit, steps, watch)
	return append(problems, graded...), err
}

// lintData examines the course data of a step.
func lintData(step *course.Step, set *fixtures.Set) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if step.Track == "" {
		say("belongs to no track; want course.Core, or that of the elective")
	}
	if step.Max() != 100 {
		say("its checks are worth %d points in all; want 100", step.Max())
	}
	if len(step.Hints) < minHints {
		say("has %d hints; want at least %d", len(step.Hints), minHints)
	}
	seen := map[string]bool{}
	for _, c := range step.Checks {
		if seen[c.ID] {
			say("check %s exists twice", c.ID)
		}
		seen[c.ID] = true
		if len(step.HintsFor(c.ID)) == 0 {
			say("check %s has no hint", c.ID)
		}
	}
	for _, h := range step.Hints {
		if !slices.ContainsFunc(step.Checks, func(c course.Check) bool { return strings.HasPrefix(c.ID, h.For) }) {
			say("the hint %q is for %q, which no check begins with", h.Text, h.For)
		}
	}
	for _, f := range step.Functions {
		for _, c := range set.Cases(f.Name) {
			for _, a := range f.In {
				if _, ok := c.In[a.Name]; !ok && !strings.HasPrefix(a.Name, "<") { // <…> stands for several
					say("fixture %s of %s lacks the input %s", c.Name, f.Name, a.Name)
				}
			}
		}
	}
	return wrong
}

// lintFiles looks for the files that a step must have.
func lintFiles(kit *workspace.Kit, step *course.Step) []string {
	var wrong []string
	lesson := filepath.Join("steps", step.Folder, "README.md")
	text, err := os.ReadFile(filepath.Join(kit.Root, lesson))
	switch {
	case err != nil:
		wrong = append(wrong, "has no lesson: "+lesson+" is missing")
	case !strings.Contains(string(text), "go run ./cmd/grade "+step.ID):
		wrong = append(wrong, lesson+" does not say how to grade the step: go run ./cmd/grade "+step.ID)
	}
	if !kit.HasSolutions(step.Folder) {
		wrong = append(wrong, "has no solution: solutions/"+step.Folder+" is missing")
	}
	return wrong
}

// lintGrades grades every stub and every solution.
func lintGrades(ctx context.Context, kit *workspace.Kit, steps []*course.Step, watch func(grader.Event)) ([]Problem, error) {
	var problems []Problem
	for _, want := range []struct {
		impl    grader.Impl
		verdict verdict.Kind
	}{{grader.Pristine, verdict.NotImplemented}, {grader.Solutions, verdict.Passed}} {
		r, err := grader.Grade(ctx, grader.Request{Kit: kit, Steps: steps, Impl: want.impl, Seed: 1, Limits: probe.DefaultLimits()}, watch)
		if err != nil {
			return nil, err
		}
		for _, s := range r.Steps {
			problems = append(problems, unexpected(s, want.impl, want.verdict)...)
		}
	}
	return problems, nil
}

func unexpected(s report.Step, impl grader.Impl, want verdict.Kind) []Problem {
	var problems []Problem
	for _, c := range s.Checks {
		if c.Verdict != want {
			problems = append(problems, Problem{s.ID, fmt.Sprintf("check %s on the %s code is %q; want %q\n%s", c.ID, impl, c.Verdict, want, c.Message)})
		}
	}
	return problems
}
