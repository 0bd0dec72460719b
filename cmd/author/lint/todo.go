package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/cmd/author/skeleton"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

// lintTodo looks for the places that grade dev new has marked for the author
// and that are still to be written.
func lintTodo(kit *workspace.Kit, step *course.Step) []string {
	var wrong []string
	for _, pattern := range []string{"steps/" + step.Folder + "/*", "solutions/" + step.Folder + "/*", "grader/course/" + step.Folder + "/*.go",
		"grader/course/" + step.Folder + "/mistakes/*.go", "fixtures/" + step.Folder + "/functions.txt", "fixtures/generate/" + step.ID + ".py",
		"fixtures/answers_" + step.Name + ".py", "reference/oracle/" + step.Name + ".go"} {
		names, err := filepath.Glob(filepath.Join(kit.Root, filepath.FromSlash(pattern)))
		if err != nil {
			return []string{err.Error()}
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				continue // a folder
			}
			if n := strings.Count(string(text), skeleton.Mark); n > 0 {
				rel, _ := filepath.Rel(kit.Root, name)
				wrong = append(wrong, fmt.Sprintf("%s: %d places are to be written; search for %s", filepath.ToSlash(rel), n, skeleton.Mark))
			}
		}
	}
	return wrong
}
