package main

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// checkEdition refuses to grade solutions that this edition of the kit does not
// hold.
func checkEdition(kit *workspace.Kit, o gradeOptions, steps []*course.Step) error {
	for _, s := range steps {
		if o.impl == "solutions" && !kit.HasSolutions(s.Folder) {
			return lang.Errorf("--impl solutions: this edition of the kit holds no solution of %s", s.ID)
		}
	}
	return nil
}

// sourceOf returns whose steps --impl names. It is an error if that is nobody, or the
// solutions and this edition of the kit does not hold all of them.
func sourceOf(kit *workspace.Kit, impl string) (workspace.Source, error) {
	switch impl {
	case "mine":
		return workspace.Own(), nil
	case "solutions":
		folders, err := kit.Folders()
		if err != nil {
			return workspace.Source{}, failed(err)
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
