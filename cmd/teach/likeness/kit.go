package likeness

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// Words returns the names that the kit hands out: those of the stubs of the given
// steps and of the packages that they may use.
func Words(kit *workspace.Kit, steps []*course.Step) (Vocabulary, error) {
	v := Vocabulary{}
	for _, s := range steps {
		stub, err := kit.Stub(s.Folder)
		if err != nil {
			return nil, err
		}
		for name, data := range stub {
			if file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution); err == nil {
				v.add(file)
			}
		}
	}
	for _, pkg := range []string{"tensor", "kernel"} {
		if err := v.addFolder(filepath.Join(kit.Root, "reference", pkg)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v Vocabulary) addFolder(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		v.add(file)
	}
	return nil
}

// OfKit returns what the kit holds of a step.
func OfKit(kit *workspace.Kit, step *course.Step) (k Kit, err error) {
	if k.Stub, err = kit.Stub(step.Folder); err != nil {
		return k, err
	}
	files, err := mistake.Solutions(kit.Root)
	if err != nil {
		return k, err
	}
	solution := Code{}
	for name, data := range files {
		if folder, base := path.Split(name); folder == step.Folder+"/" {
			solution[base] = data
		}
	}
	lesson, err := os.ReadFile(filepath.Join(kit.Root, "steps", step.Folder, "README.md"))
	if err != nil {
		return k, err
	}
	k.Solved = append(shown(string(lesson)), solution)
	programs, err := grader.RightPrograms(kit, step, grader.Request{})
	if err != nil {
		return k, err
	}
	for _, p := range programs[1:] { // the first is the solution
		code := Code{}
		for name, data := range p.Request.Overlay {
			code[path.Base(name)] = data
		}
		k.Honest = append(k.Honest, code)
	}
	return k, nil
}

// shown returns the Go that a lesson shows: declarations, or statements.
func shown(lesson string) (all []Code) {
	blocks := strings.Split(newline.Unix(lesson), "```")
	for i := 1; i < len(blocks); i += 2 {
		text, ok := strings.CutPrefix(blocks[i], "go\n")
		if !ok {
			continue
		}
		for _, try := range []string{text, "package shown\n" + text, "package shown\nfunc _() {\n" + text + "\n}"} {
			if f, err := parser.ParseFile(token.NewFileSet(), "", try, parser.SkipObjectResolution); err == nil && hasCode(f) {
				all = append(all, Code{"lesson.go": []byte(try)})
				break
			}
		}
	}
	return all
}

func hasCode(f *ast.File) bool { return len(f.Decls) > 0 }
