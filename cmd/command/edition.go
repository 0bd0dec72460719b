package command

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// SourceOf returns whose steps --impl names. It is an error if that is nobody, or the
// solutions and this edition of the kit does not hold all of them.
func SourceOf(kit *workspace.Kit, impl string) (workspace.Source, error) {
	switch impl {
	case "mine":
		return workspace.Own(), nil
	case "solutions":
		folders, err := kit.Folders()
		if err != nil {
			return workspace.Source{}, Failed(err)
		}
		for _, folder := range folders {
			if !kit.HasSolutions(folder) {
				return workspace.Source{}, lang.Errorf("--impl solutions: this edition of the kit holds no solution of %s", folder)
			}
		}
		return workspace.Solutions(), nil
	}
	return workspace.Source{}, lang.Errorf("--impl is %q; want mine or solutions", impl)
}
