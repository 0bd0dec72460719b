package workspace

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// inventory is what a package declares.
type inventory struct {
	pkg   string
	fset  *token.FileSet
	files map[string][]byte
	trees map[string]*ast.File
	all   []item
	kind  map[string]token.Token // of the types and functions: TYPE or FUNC
}

// item is one of them: a function, a method, or a type, a variable, a
// constant or a group of these.
type item struct {
	file     string
	node     ast.Node
	doc      *ast.CommentGroup
	names    []string // that it declares; of a method, the name of its type
	mentions map[string]bool
}

// takeInventory reads code that is known to be Go.
func takeInventory(c *code) *inventory {
	d := &inventory{fset: token.NewFileSet(), files: c.files, trees: map[string]*ast.File{}, kind: map[string]token.Token{}}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		file, err := parser.ParseFile(d.fset, name, c.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || isTest(name) {
			continue
		}
		d.pkg, d.trees[name] = file.Name.Name, file
		for _, decl := range file.Decls {
			d.add(name, decl)
		}
	}
	return d
}

func (d *inventory) add(file string, decl ast.Decl) {
	one := item{file: file, node: decl}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		one.doc, one.names = decl.Doc, []string{decl.Name.Name}
		if decl.Recv != nil {
			one.names = []string{receiverName(decl)}
		} else {
			d.kind[decl.Name.Name] = token.FUNC
		}
	case *ast.GenDecl:
		if decl.Tok == token.IMPORT {
			return
		}
		one.doc = decl.Doc
		if decl.Tok != token.CONST && decl.Lparen.IsValid() { // each by itself
			for _, spec := range decl.Specs {
				d.keep(item{file: file, node: spec, names: d.declare(spec)})
			}
			return
		}
		for _, spec := range decl.Specs {
			one.names = append(one.names, d.declare(spec)...)
		}
	}
	d.keep(one)
}

// declare notes what a part of a declaration declares, and returns its names.
func (d *inventory) declare(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		d.kind[spec.Name.Name] = token.TYPE
		names = []string{spec.Name.Name}
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

// keep notes a declaration and what it mentions.
func (d *inventory) keep(one item) {
	one.mentions = map[string]bool{}
	ast.Inspect(one.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			one.mentions[id.Name] = true
		}
		return true
	})
	d.all = append(d.all, one)
}

// mention reports whether a name occurs in the package.
func (d *inventory) mention(name string) bool {
	return slices.ContainsFunc(d.all, func(one item) bool { return one.mentions[name] })
}

// receiverName is the name of the type that has a method.
func receiverName(f *ast.FuncDecl) string {
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// without returns the files without the declarations of the names, and without
// those that nobody outside of the package can reach any more.
func (d *inventory) without(names []string) map[string][]byte {
	gone := func(one item) bool {
		return len(one.names) > 0 && !slices.ContainsFunc(one.names, func(n string) bool { return !slices.Contains(names, n) })
	}
	kept, needed := make([]bool, len(d.all)), map[string]bool{"init": true, "_": true}
	for again := true; again; {
		again = false
		for i, one := range d.all {
			if kept[i] || gone(one) || !slices.ContainsFunc(one.names, func(n string) bool { return needed[n] || token.IsExported(n) }) {
				continue
			}
			kept[i], again = true, true
			maps.Copy(needed, one.mentions)
		}
	}
	files := map[string][]byte{}
	for name, data := range d.files {
		files[name] = bytes.Clone(data)
	}
	for i, one := range d.all {
		if kept[i] {
			continue
		}
		from := one.node.Pos()
		if one.doc != nil {
			from = one.doc.Pos()
		}
		blank(files[one.file], offset(d.fset, from), offset(d.fset, one.node.End()))
	}
	for name, tree := range d.trees {
		files[name] = unusedImports(d.fset, tree, files[name])
	}
	return files
}

// unusedImports makes those imports blank that a file used and no longer uses.
func unusedImports(before *token.FileSet, tree *ast.File, data []byte) []byte {
	after, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution)
	if err != nil {
		return data // the compiler will say so
	}
	formerly, now := qualifiers(tree), qualifiers(after)
	for _, spec := range slices.Backward(tree.Imports) {
		imported := strings.Trim(spec.Path.Value, "\"`")
		from, local := spec.Path.Pos(), path.Base(imported)
		if _, name, isStep := strings.Cut(local, "_"); isStep && strings.HasPrefix(imported, module+"/steps/") {
			local = name
		}
		if spec.Name != nil {
			from, local = spec.Name.Pos(), spec.Name.Name
		}
		if formerly[local] && !now[local] {
			data = splice(data, offset(before, from), offset(before, spec.Path.Pos()), "_ ")
		}
	}
	return data
}

// qualifiers returns the names before the dots of a file.
func qualifiers(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}

// blank writes spaces over a part of a text and leaves its lines.
func blank(text []byte, from, to int) {
	for i := from; i < to; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// splice returns the text with another in the place of text[from:to].
func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from:from], []byte(with), text[to:])
}

func offset(fset *token.FileSet, pos token.Pos) int { return fset.PositionFor(pos, false).Offset }
