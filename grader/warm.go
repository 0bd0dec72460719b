package grader

import (
	"context"
	"os"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Warm builds steps from the kit's own code: their solutions, or else their stubs. Then
// all that they are built on is in the build cache, to which builds within a fence may
// not write.
func Warm(ctx context.Context, kit *workspace.Kit, steps ...*course.Step) error {
	folders, err := kit.Folders()
	if err != nil {
		return err
	}
	sources := map[string]workspace.Source{}
	for _, f := range folders {
		sources[f] = workspace.Pristine()
		if kit.HasSolutions(f) {
			sources[f] = workspace.Solutions()
		}
	}
	tmp, err := workplace()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	var builds []workspace.Build
	for _, step := range steps {
		builds = append(builds, workspace.Build{Course: registry.Steps(), Step: step.Folder, Sources: sources})
		for _, b := range step.Builds {
			if b.Missing.Empty() {
				builds = append(builds, workspace.Build{Course: registry.Steps(), Step: step.Folder, Sources: sources, Env: b.Env})
			}
		}
	}
	return kit.Warm(ctx, builds, tmp.Path)
}

// workplace makes a folder for programs, after those which killed runs have left
// behind were removed. The error says why none could be run here.
func workplace() (*scratch.Folder, error) {
	if err := probe.Cramped(); err != nil {
		return nil, err
	}
	scratch.Sweep(os.TempDir(), scratch.Stale)
	return scratch.New()
}
