package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/mutant"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// mutants returns the mechanical mutants of a step's solution. Nobody chose them, so
// they find the checks that nobody thought of. Functions that the stub has already are
// left out: nobody writes them.
func mutants(kit *workspace.Kit, step *course.Step) ([]mutant.Mutant, error) {
	names, err := filepath.Glob(filepath.Join(kit.Root, "solutions", step.Folder, "*.go"))
	if err != nil {
		return nil, err
	}
	stub, err := kit.Stub(step.Folder)
	if err != nil {
		return nil, err
	}
	var all []mutant.Mutant
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := mutant.Of(filepath.Base(name), newline.Unix(text), stub[filepath.Base(name)])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// family is what the mutants of one function have in common.
func family(m mutant.Mutant) string { return m.File + ":" + m.Function }

// title says what is changed, and where. A mutant goes by its line's text and not by its
// number, which every edit of the file would change.
func title(m mutant.Mutant) string {
	by := m.New
	if by == "" {
		by = "dropped"
	}
	return fmt.Sprintf("%s → %s at %d in %s", excerpt(m.Old), by, m.Column, m.Source)
}

// excerpt is a text's first line, cut short.
func excerpt(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 24 {
		line = string(runes[:24]) + "…"
	}
	return line
}
