package lint

import (
	"context"
	"fmt"
	"go/build"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

// lintUses holds the stub and the solution of a step to what the step says that
// it uses and needs, as a student's code is held to it.
func lintUses(ctx context.Context, kit *workspace.Kit, steps []*course.Step, step *course.Step) []string {
	var wrong []string
	builds := append([]course.Build{{}}, step.Builds...)
	for _, from := range []string{"steps", "solutions"} {
		dir := filepath.Join(kit.Root, from, step.Folder)
		code, err := workspace.ReadFolder(dir, dir)
		if err != nil {
			return append(wrong, err.Error())
		}
		source := map[string]workspace.Source{step.Folder: workspace.HandedIn(code)}
		for _, b := range builds {
			if !b.Missing.Empty() {
				continue
			}
			err := kit.Inspect(ctx, workspace.Build{Course: steps, Step: step.Folder, Sources: source, Env: b.Env})
			if err != nil {
				wrong = append(wrong, err.Error())
			}
		}
		wrong = append(wrong, lintNeeds(dir, steps, step)...)
	}
	return wrong
}

// lintNeeds compares the steps that a package imports with those that its step
// needs.
func lintNeeds(dir string, steps []*course.Step, step *course.Step) []string {
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for _, imported := range pkg.Imports {
		i := slices.IndexFunc(steps, func(s *course.Step) bool { return s.Folder == path.Base(imported) })
		if i >= 0 && strings.Contains(imported, "/steps/") && !slices.Contains(step.Needs, steps[i].ID) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, which does not stand in its Needs", dir, steps[i].Folder))
		}
	}
	return wrong
}
