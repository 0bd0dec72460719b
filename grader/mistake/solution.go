package mistake

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/newline"
)

// solution is the code of a step that a mistake is made in.
type solution struct {
	folder string
	files  []*sourceFile
}

// sourceFile is one of its files, and what is to be changed in it.
type sourceFile struct {
	path    string // "step05_swiglu/swiglu.go"
	text    []byte
	fset    *token.FileSet
	tree    *ast.File
	splices []splice
}

// splice exchanges a part of a file's text for another.
type splice struct {
	from, to int
	text     string
}

// declared is a declaration in a file of the solution.
type declared struct {
	file    *sourceFile
	name    string
	keyword string
	node    ast.Node // a function, or the specification of something else
}

// Sources reads the Go files of all steps, tests aside, by path:
// "step05_swiglu/swiglu.go".
func Sources(steps fs.FS) (map[string][]byte, error) {
	names, err := fs.Glob(steps, "step*/*.go")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = fs.ReadFile(newline.FS{FS: steps}, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Solutions reads the solutions of the kit in root.
func Solutions(root string) (map[string][]byte, error) {
	return Sources(os.DirFS(filepath.Join(root, "solutions")))
}

// readSolution parses the files that a version may change.
func readSolution(files map[string][]byte, v Version) (*solution, error) {
	s, only := &solution{folder: v.folder}, ""
	switch dir, name := path.Split(v.In); {
	case strings.HasSuffix(name, ".go"):
		only = name
		if dir != "" {
			s.folder = path.Clean(dir)
		}
	case v.In != "":
		s.folder = v.In
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) != s.folder || only != "" && path.Base(name) != only {
			continue
		}
		f := &sourceFile{path: name, text: files[name], fset: token.NewFileSet()}
		var err error
		if f.tree, err = parser.ParseFile(f.fset, name, f.text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, fmt.Errorf("the code to be changed cannot be read: %w", err)
		}
		s.files = append(s.files, f)
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("there is no file %s", path.Join(s.folder, cmp.Or(only, "*.go")))
	}
	return s, nil
}

// declarations returns what the solution declares.
func (s *solution) declarations() []declared {
	var all []declared
	for _, f := range s.files {
		for _, decl := range f.tree.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				all = append(all, declared{f, funcName(d), "func", d})
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					all = append(all, declared{f, specName(spec), d.Tok.String(), spec})
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(d declared) bool { return d.keyword == token.IMPORT.String() })
}

// find returns the declaration of a name, nil if there is none. One that stands
// in several files, of which each build takes another, is an error.
func (s *solution) find(name string) (*declared, error) {
	var found []declared
	for _, d := range s.declarations() {
		if d.name == name {
			found = append(found, d)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &found[0], nil
	}
	return nil, fmt.Errorf("%s is declared in %s and in %s; say which with “In: %s”",
		name, found[0].file.path, found[1].file.path, path.Base(found[0].file.path))
}

// names lists what the solution declares, for an error.
func (s *solution) names() string {
	var names []string
	for _, d := range s.declarations() {
		names = append(names, d.name)
	}
	return strings.Join(names, ", ")
}

// code is the text of a node.
func (f *sourceFile) code(n ast.Node) string { return source(f.fset, f.text, []ast.Node{n}) }

// replace notes that the text from one node to another is exchanged.
func (f *sourceFile) replace(from, to ast.Node, by string) {
	f.splices = append(f.splices, splice{f.fset.Position(from.Pos()).Offset, f.fset.Position(to.End()).Offset, by})
}

// add notes that code is added at the end.
func (f *sourceFile) add(code string) {
	f.splices = append(f.splices, splice{len(f.text), len(f.text), "\n" + code + "\n"})
}
