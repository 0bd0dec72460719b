// Package mutant changes Go code by rule, one place at a time: in every function body
// each operator is exchanged, each comparison moved by one or turned round, each integer
// constant raised by one, each call and assignment left out.
package mutant

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// Mutant is a file with one place changed.
type Mutant struct {
	File, Function string // "swiglu.go", "Forward"
	Line, Column   int    // of the place, from 1
	Source         string // its line, without the space around it
	Old, New       string // what stood there, and what does; New is "" for a statement that is left out
	Keeps          bool   // the statement that is left out assigns to a field of the receiver
	Text           []byte // of the whole file
}

// Of returns the mutants of a file, in the order of its lines. Functions whose bodies
// stand in given are left out, as is what a panic says. The error is that of the parser.
func Of(name string, text, given []byte) ([]Mutant, error) {
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
		if !bytes.Contains(given, body) {
			f.function, f.receiver = fn.Name.Name, receiver(fn)
			ast.Inspect(fn.Body, f.visit)
		}
	}
	return f.mutants, nil
}

// receiver is the name by which a method calls what it belongs to, or "".
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
		return ""
	}
	return fn.Recv.List[0].Names[0].Name
}

// mutator collects the mutants of one file.
type mutator struct {
	name, text         string
	function, receiver string
	fset               *token.FileSet
	mutants            []Mutant
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
			f.drop(n, f.keeps(n))
		}
	case *ast.IncDecStmt:
		f.drop(n, false)
	case *ast.ExprStmt:
		f.drop(n, false)
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

// keeps reports whether an assignment is to a field of the receiver.
func (f *mutator) keeps(n *ast.AssignStmt) bool {
	for _, to := range n.Lhs {
		field, ok := to.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if of, ok := field.X.(*ast.Ident); ok && f.receiver != "" && of.Name == f.receiver {
			return true
		}
	}
	return false
}

// drop replaces a statement by nothing, keeping what it uses in use.
func (f *mutator) drop(n ast.Node, keeps bool) {
	from, to := f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset
	f.add(Mutant{Keeps: keeps}, from, to, "if false { "+f.text[from:to]+" }")
}

func (f *mutator) replace(pos token.Pos, length int, by string) {
	from := f.fset.Position(pos).Offset
	f.add(Mutant{New: by}, from, from+length, by)
}

// add notes a mutant: the text between two offsets replaced.
func (f *mutator) add(m Mutant, from, to int, by string) {
	m.File, m.Function, m.Old = f.name, f.function, f.text[from:to]
	m.Line = 1 + strings.Count(f.text[:from], "\n")
	m.Column = from - strings.LastIndex(f.text[:from], "\n")
	m.Source = strings.TrimSpace(strings.Split(f.text, "\n")[m.Line-1])
	m.Text = []byte(f.text[:from] + by + f.text[to:])
	f.mutants = append(f.mutants, m)
}
