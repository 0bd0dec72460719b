package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reader finds the literal texts that the code of one folder says.
type reader struct {
	t        *testing.T
	set      *token.FileSet
	wrappers map[string]int // functions of the folder that take a format: which of their arguments it is
	keys     map[string]key
}

// literals returns the texts that the Go files of a folder give to the printer:
// the arguments of lang.T, lang.Errorf, Say and Tell, and of functions that pass
// a parameter named format on to these.
func literals(t *testing.T, folder string) map[string]key {
	r := &reader{t, token.NewFileSet(), map[string]int{"Refuses": 1, "Fails": 2}, map[string]key{}}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	speaks := filepath.Base(folder) == "lang" // or uses it; elsewhere Say and Tell are somebody else's
	if speaks {
		r.wrappers["T"], r.wrappers["Errorf"] = 0, 0
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(r.set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		for _, spec := range file.Imports {
			speaks = speaks || strings.HasSuffix(spec.Path.Value, `/grader/lang"`) || strings.HasSuffix(spec.Path.Value, `/grader/course"`)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				r.note(f.Name.Name, f.Type, f.Body)
			}
		}
	}
	for _, file := range files {
		for _, d := range file.Decls {
			if speaks {
				r.read(d)
			}
		}
	}
	return r.keys
}

// note remembers a function that passes a format on to lang.
func (r *reader) note(name string, f *ast.FuncType, body ast.Node) {
	passes := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 && isFormat(call.Args[0]) {
			_, takes := r.formatOf(call.Fun)
			passes = passes || takes
		}
		return true
	})
	at := 0
	for _, field := range f.Params.List {
		for _, p := range field.Names {
			if p.Name == "format" && passes {
				r.wrappers[name] = at
			}
			at++
		}
	}
}

// read reads a declaration. Functions without a name count inside it only.
func (r *reader) read(d ast.Decl) {
	outer := r.wrappers
	defer func() { r.wrappers = outer }()
	r.wrappers = map[string]int{}
	for name, at := range outer {
		r.wrappers[name] = at
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				if f, ok := value.(*ast.FuncLit); ok {
					if name, ok := n.Lhs[i].(*ast.Ident); ok {
						r.note(name.Name, f.Type, f.Body)
					}
				}
			}
		case *ast.CallExpr:
			if at, ok := r.formatOf(n.Fun); ok && at < len(n.Args) {
				r.take(n, at)
			}
		}
		return true
	})
}

// formatOf tells which argument of a function is a text, if one is.
func (r *reader) formatOf(fun ast.Expr) (at int, ok bool) {
	switch fun := fun.(type) {
	case *ast.Ident:
		at, ok = r.wrappers[fun.Name]
	case *ast.SelectorExpr:
		pkg, _ := fun.X.(*ast.Ident)
		switch name := fun.Sel.Name; {
		case pkg != nil && pkg.Name == "lang":
			return 0, name == "T" || name == "Errorf"
		case pkg != nil && pkg.Name == "fmt":
			return 0, false
		case name == "Say":
			return 0, true
		case name == "Tell":
			return 1, true
		default:
			at, ok = r.wrappers[name]
		}
	}
	return at, ok
}

// take notes the text that a call says. It must stand there as a literal, or be
// the format of the function around it.
func (r *reader) take(call *ast.CallExpr, at int) {
	where := r.set.Position(call.Pos()).String()
	if isFormat(call.Args[at]) {
		return
	}
	text, ok := constant(call.Args[at])
	require.True(r.t, ok, "%s: the text must be a literal", where)
	arguments := len(call.Args) - at - 1
	if called(call) == "Refuses" { // whose other arguments are no part of the text
		arguments = 0
	}
	if arguments > 0 {
		require.Len(r.t, verbs(text), arguments, "%s: the arguments of %q", where, text)
	}
	r.keys[text] = key{where, arguments > 0}
}

// called returns the name of the function that is called, without its package.
func called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

func isFormat(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "format"
}

// constant returns the value of a string literal, or of a sum of them.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, okX := constant(e.X)
		y, okY := constant(e.Y)
		return x + y, okX && okY
	}
	return "", false
}
