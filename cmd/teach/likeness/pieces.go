package likeness

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Code is the Go files of one step, by name.
type Code map[string][]byte

// place is where a piece stands.
type place struct {
	function *function
	from, to int // lines of its file
	size     int // nodes
}

// function is a declaration that was read: a function, a method, or variables.
type function struct {
	name     string // "(*Linear).Forward"
	file     string
	from, to int // lines
}

// program is one step of a submission, as the pieces that it is made of.
type program struct {
	code   Code
	pieces map[uint64][]place
	notes  []lang.Text // what of it was not read, and why
}

// Only trees of some size are pieces: smaller ones are everywhere, and larger ones
// are made of pieces.
const (
	minPiece = 6
	maxPiece = 120
)

// What is read is bounded, for who handed it in may want it to take for ever. The
// files of the course's solutions have 9 KiB at most.
const maxFile = 128 << 10

// read reads the code of a step. What does not parse has no pieces, but a note.
func read(code Code, given Vocabulary) *program {
	p := &program{code: code, pieces: map[uint64][]place{}}
	set, files := token.NewFileSet(), map[string]*ast.File{}
	own := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if len(code[name]) > maxFile {
			p.notes = append(p.notes, lang.T("%s is not compared: it is larger than %d KiB", name, maxFile>>10))
			continue
		}
		file, err := parser.ParseFile(set, name, code[name], parser.SkipObjectResolution)
		if err != nil {
			p.notes = append(p.notes, lang.T("%s is not compared: it is no Go that can be parsed", name))
			continue
		}
		files[name] = file
		for _, d := range file.Decls {
			for _, id := range declaredBy(d) {
				if !given[id.Name] {
					own[id.Name] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		n := &names{given: given, own: own, imports: importsOf(files[name])}
		for _, d := range files[name].Decls {
			p.declaration(set, name, d, n)
		}
	}
	return p
}

// declaration adds the pieces of a function, or of the variables of a declaration.
func (p *program) declaration(set *token.FileSet, file string, d ast.Decl, n *names) {
	line := func(pos token.Pos) int { return set.PositionFor(pos, false).Line }
	f := &function{name: nameOf(d), file: file, from: line(d.Pos()), to: line(d.End() - 1)}
	if f.name == "" {
		return
	}
	means, ok := resolve(d)
	if !ok {
		p.notes = append(p.notes, lang.T("%s in %s is not compared: it is nested too deep", f.name, file))
		return
	}
	form := &former{names: n, means: means, lines: line}
	var root *node
	if fn, ok := d.(*ast.FuncDecl); ok {
		root = form.block(fn.Body.List)
	} else {
		root = tree("block", form.declared(d)...)
	}
	if form.nodes > maxNodes {
		p.notes = append(p.notes, lang.T("%s in %s is compared in part: it is too large", f.name, file))
	}
	root.from, root.to = f.from, f.to
	p.collect(root, f)
}

// collect adds the pieces of a tree.
func (p *program) collect(n *node, f *function) {
	if n.size < minPiece {
		return
	}
	if n.size <= maxPiece && n.from > 0 {
		h := n.hash()
		p.pieces[h] = append(p.pieces[h], place{f, n.from, n.to, n.size})
	}
	for _, k := range n.kids {
		p.collect(k, f)
	}
}

// nameOf returns the name of a function with a body, or of variables that have
// values; "" for anything else.
func nameOf(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			return ""
		}
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return d.Name.Name
		}
		return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
	case *ast.GenDecl:
		if d.Tok != token.VAR && d.Tok != token.CONST {
			return ""
		}
		var all []string
		for _, id := range declaredBy(d) {
			all = append(all, id.Name)
		}
		return strings.Join(all[:min(len(all), 3)], ", ")
	}
	return ""
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(e.X) + ")"
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// hashes returns the hashes of the pieces, in order.
func (p *program) hashes() []uint64 { return slices.Sorted(maps.Keys(p.pieces)) }
