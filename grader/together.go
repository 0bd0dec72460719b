package grader

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

// program names one of the probes of a run.
type program struct {
	folder  string
	special *course.Build // nil for the ordinary build
}

// made is what became of its build.
type made struct {
	workspace.Probe
	err error
}

// buildTogether builds all probes that the runs will need, if there are several: they
// share programs, which saves most of the time of building.
func buildTogether(ctx context.Context, runs []*run) error {
	type place struct {
		*run
		program
	}
	var places []place
	var builds []workspace.Build
	for _, g := range runs {
		for _, step := range g.Steps {
			for _, special := range g.specials(step) {
				b, err := g.build(step, special)
				if err != nil {
					return err
				}
				if slices.Contains(places, place{g, program{step.Folder, special}}) { // parts of one step
					continue
				}
				places, builds = append(places, place{g, program{step.Folder, special}}), append(builds, b)
			}
		}
	}
	if len(builds) < 2 {
		return nil
	}
	runs[0].watch(Event{Step: runs[0].Steps[0]})
	out, err := os.MkdirTemp(runs[0].dir, "together-")
	if err != nil {
		return err
	}
	probes, errs := runs[0].Kit.Probes(ctx, builds, out)
	for i, p := range places {
		p.endless.note(p.folder, errs[i])
		if !keeps(errs[i]) {
			continue
		}
		if p.made == nil {
			p.made = map[program]made{}
		}
		p.made[p.program] = made{probes[i], errs[i]}
	}
	return nil
}

// keeps reports whether there is no need to build again: it went well, or it went wrong
// for what stands in the code of this step.
func keeps(err error) bool {
	return err == nil || errors.As(err, new(*workspace.CompileError)) || errors.As(err, new(*workspace.RefusedError)) ||
		errors.As(err, new(*workspace.BuildLimitError))
}

// specials returns the builds that the checks of a step need: nil for the ordinary one.
func (g *run) specials(step *course.Step) []*course.Build {
	if g.Probe != "" {
		return nil
	}
	all := []*course.Build{nil}
	checks, _ := g.checks(step)
	for _, check := range checks {
		if b := step.BuildFor(check.ID); b != nil && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}

// apart forgets what was built of a step together with others.
func (g *run) apart(step *course.Step) {
	maps.DeleteFunc(g.made, func(p program, _ made) bool { return p.folder == step.Folder })
}
