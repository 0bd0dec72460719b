// Package place finds the line of the code to look at after a check of a step.
package place

import (
	"path/filepath"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/grader/workspace/excerpt"
)

// In returns what finds the file, from the kit's root, and the line to look at after a check
// of one of the steps or of their parts. Of is the folder with the code that was graded,
// "steps" or "solutions"; it alone, and line 1, is the answer for any other step.
func In(kit *workspace.Kit, of string, steps []*course.Step) func(step, check, message string) (file string, line int) {
	return find(kit, of, steps, excerpt.Place)
}

// Said is In for code that lies elsewhere: a place is known where a message names it.
func Said(kit *workspace.Kit, of string, steps []*course.Step) func(step, check, message string) (file string, line int) {
	return find(kit, of, steps, func(folder string, files []string, _, message string) (string, int) {
		if file, line, ok := excerpt.Named(files, message); ok {
			return filepath.Join(folder, file), line
		}
		return folder, 1
	})
}

func find(kit *workspace.Kit, of string, steps []*course.Step, place func(folder string, files []string, check, message string) (string, int)) func(step, check, message string) (string, int) {
	return func(step, check, message string) (string, int) {
		s, err := course.FindPart(steps, step)
		if err != nil {
			return of, 1
		}
		files, err := kit.StubFiles(s.Folder)
		if err != nil {
			return of, 1
		}
		file, line := place(filepath.Join(kit.Root, of, s.Folder), files, check, message)
		relative, err := filepath.Rel(kit.Root, file)
		if err != nil {
			return of, 1
		}
		return filepath.ToSlash(relative), line
	}
}
