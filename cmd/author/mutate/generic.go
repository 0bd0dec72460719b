package mutate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// mutant is a solution with one place changed by rule.
type mutant struct {
	file     string // "swiglu.go"
	function string
	title    string // what is changed, and where
	text     []byte // of the whole file
}

// id is what the mutants of one function have in common.
func (m mutant) id() string { return m.file + ":" + m.function }

// mutants returns the mechanical mutants of a step's solution: in every
// function body each operator is exchanged, each comparison moved by one or
// turned round, each integer constant raised by one, each call and assignment
// dropped. Nobody chose them, so they find the checks that nobody thought of.
// Functions that the stub has already are left out: nobody writes them.
func mutants(kit *workspace.Kit, step *course.Step) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(kit.Root, "solutions", step.Folder, "*.go"))
	if err != nil {
		return nil, err
	}
	stub, err := kit.Stub(step.Folder)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := mutantsOf(filepath.Base(name), newline.Unix(text), stub[filepath.Base(name)])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func mutantsOf(name string, text, stub []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &mutator{name: name, text: string(text), fset: fset}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		body := text[fset.Position(fn.Body.Pos()).Offset:fset.Position(fn.Body.End()).Offset]
		if !bytes.Contains(stub, body) {
			f.function = fn.Name.Name
			ast.Inspect(fn.Body, f.visit)
		}
	}
	return f.mutants, nil
}

// mutator collects the mutants of one file.
type mutator struct {
	name, text, function string
	fset                 *token.FileSet
	mutants              []mutant
}

// visit mutates a node in every way that applies to it.
func (f *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "panic" {
			return false // the wording of an error is not checked
		}
	case *ast.BinaryExpr:
		for _, op := range exchanged[n.Op] {
			f.replace(n.OpPos, len(n.Op.String()), op.String())
		}
	case *ast.AssignStmt:
		for _, op := range exchanged[n.Tok] {
			f.replace(n.TokPos, len(n.Tok.String()), op.String())
		}
		if n.Tok != token.DEFINE {
			f.drop(n)
		}
	case *ast.IncDecStmt:
		f.drop(n)
	case *ast.ExprStmt:
		f.drop(n)
	case *ast.BasicLit:
		if value, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			f.replace(n.Pos(), len(n.Value), strconv.Itoa(value+1))
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			f.replace(n.OpPos, 1, " ")
		}
	}
	return true
}

// exchanged lists what an operator is exchanged for.
var exchanged = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN, token.ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
}

// drop replaces a statement by nothing, keeping what it uses in use.
func (f *mutator) drop(n ast.Node) {
	from, to := f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset
	f.add(from, to, "if false { "+f.text[from:to]+" }", "dropped")
}

func (f *mutator) replace(pos token.Pos, length int, by string) {
	from := f.fset.Position(pos).Offset
	f.add(from, from+length, by, by)
}

// add notes a mutant: the text between two offsets replaced.
func (f *mutator) add(from, to int, by, short string) {
	line := 1 + strings.Count(f.text[:from], "\n")
	column := from - strings.LastIndex(f.text[:from], "\n")
	// A mutant goes by its line's text and not by its number, which every edit
	// of the file would change.
	source := strings.TrimSpace(strings.Split(f.text, "\n")[line-1])
	f.mutants = append(f.mutants, mutant{
		file: f.name, function: f.function,
		title: fmt.Sprintf("%s → %s at %d in %s", excerpt(f.text[from:to]), short, column, source),
		text:  []byte(f.text[:from] + by + f.text[to:]),
	})
}

// excerpt is a text's first line, cut short.
func excerpt(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 24 {
		line = string(runes[:24]) + "…"
	}
	return line
}
