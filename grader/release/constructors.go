package release

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
)

// constructor names the functions of grader/course that make a step.
type constructor struct {
	step     string // "swigluStep"
	mistakes string // "swigluMistakes"; "" if it has none
}

// readCourse finds, for the id of every step, the functions that make it: those
// that return &Step{ID: …, Mistakes: …()}.
func readCourse(dir string) (map[string]constructor, error) {
	files, err := filepath.Glob(filepath.Join(dir, "step*.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]constructor{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			id, mistakes, err := stepLiteral(fn)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", filepath.Base(name), fn.Name.Name, err)
			}
			if id != "" {
				found[id] = constructor{fn.Name.Name, mistakes}
			}
		}
	}
	return found, nil
}

// stepLiteral returns the ID and the function of the Mistakes in the Step that
// a function writes down; "" if it writes none.
func stepLiteral(fn *ast.FuncDecl) (id, mistakes string, err error) {
	ast.Inspect(fn, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if name, ok := lit.Type.(*ast.Ident); !ok || name.Name != "Step" {
			return true
		}
		for _, element := range lit.Elts {
			field, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch field.Key.(*ast.Ident).Name {
			case "ID":
				id, err = text(field.Value)
			case "Mistakes":
				mistakes, err = called(field.Value)
			}
			if err != nil {
				return false
			}
		}
		return true
	})
	return id, mistakes, err
}

func text(e ast.Expr) (string, error) {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", errors.New("the ID of a step is not written as a text")
	}
	return strconv.Unquote(lit.Value)
}

func called(e ast.Expr) (string, error) {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 0 {
		if name, ok := call.Fun.(*ast.Ident); ok {
			return name.Name, nil
		}
	}
	return "", errors.New("the mistakes of a step are not what a function without arguments returns")
}
