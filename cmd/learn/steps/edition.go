package steps

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
