package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// lintAPI compares what a step's stub and its solution export.
func lintAPI(kit *workspace.Kit, step *course.Step) []string {
	stub, err := exported(filepath.Join(kit.Root, "steps", step.Folder))
	if err != nil {
		return []string{err.Error()}
	}
	solution, err := exported(filepath.Join(kit.Root, "solutions", step.Folder))
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for name, decl := range stub {
		if solution[name] != decl {
			wrong = append(wrong, fmt.Sprintf("the stub exports %q, the solution %q", decl, solution[name]))
		}
	}
	for name, decl := range solution {
		if _, ok := stub[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("the solution exports %q, the stub does not", decl))
		}
	}
	return wrong
}

// exported returns the exported declarations of the Go files in a folder,
// tests aside, by name: the file that each is in, since solutions are compared with
// one's own file by file, functions and methods with their signatures, structs with
// their exported fields.
func exported(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	api := map[string]string{}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, newline.Unix(src), parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.FileExports(file)
		here := map[string]string{}
		for _, decl := range file.Decls {
			record(here, fset, decl)
		}
		for decl, text := range here {
			api[decl] = filepath.Base(name) + ": " + text
		}
	}
	return api, nil
}

// record writes a declaration without bodies and comments into api.
func record(api map[string]string, fset *token.FileSet, decl ast.Decl) {
	write := func(name string, node any) {
		var b bytes.Buffer
		printer.Fprint(&b, fset, node)
		api[name] = b.String()
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		d.Doc, d.Body = nil, nil
		name := d.Name.Name
		if d.Recv != nil {
			var b bytes.Buffer
			printer.Fprint(&b, fset, d.Recv.List[0].Type)
			name = b.String() + "." + name
			d.Recv.List[0].Names = nil // a receiver's name is nobody's API
		}
		write(name, d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				write(s.Name.Name, typeOf(s))
			case *ast.ValueSpec:
				for _, n := range s.Names {
					api[n.Name] = d.Tok.String() + " " + n.Name
				}
			}
		}
	}
}

// typeOf strips comments from a type, and the private fields from a struct.
func typeOf(s *ast.TypeSpec) ast.Node {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return s.Type
	}
	var fields []string
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			fields = append(fields, n.Name)
		}
	}
	return &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("struct{%s}", strings.Join(fields, "; "))}
}
