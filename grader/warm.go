package grader

import (
	"context"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/scratch"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Warm builds a step from the kit's own code: its solution, or else its stub. Then
// all that the step is built on is in the build cache, to which builds within a
// fence may not write.
func Warm(ctx context.Context, kit *workspace.Kit, step *course.Step) error {
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
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	builds := []workspace.Build{{Course: registry.Steps(), Step: step.Folder, Sources: sources}}
	for _, b := range step.Builds {
		if b.Missing.Empty() {
			builds = append(builds, workspace.Build{Course: registry.Steps(), Step: step.Folder, Sources: sources, Env: b.Env})
		}
	}
	for _, b := range builds {
		if err := kit.Warm(ctx, b, tmp.Path); err != nil {
			return err
		}
	}
	return nil
}
