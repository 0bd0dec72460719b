package workspace

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// quiet reports whether a package does nothing when a program starts that could end
// or delay it: it has no init, and its variables begin as values that are written down.
func quiet(files []*ast.File) bool {
	for _, file := range files {
		packages := map[string]bool{} // by the name that the file calls them
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			packages[path.Base(imported)] = err == nil && spec.Name == nil
		}
		for _, decl := range file.Decls {
			if !quietly(decl, packages) {
				return false
			}
		}
	}
	return true
}

// quietly is quiet for one declaration.
func quietly(decl ast.Decl, packages map[string]bool) bool {
	if f, ok := decl.(*ast.FuncDecl); ok {
		return f.Recv != nil || f.Name.Name != "init"
	}
	is := true
	for _, spec := range decl.(*ast.GenDecl).Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && decl.(*ast.GenDecl).Tok == token.VAR {
			for _, x := range v.Values {
				is = is && plain(x, packages)
			}
		}
	}
	return is
}

// plain reports whether the value of an expression is written down in it: nothing is
// called but what makes an error or a number, nothing is looked up, nothing can fail.
func plain(x ast.Expr, packages map[string]bool) bool {
	is := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // runs later
			return false
		case *ast.CallExpr:
			of := qualifier(n.Fun)
			is = is && packages[of] && (of == "math" || of == "errors")
		case *ast.SelectorExpr:
			is = is && packages[qualifier(n)]
		case *ast.BinaryExpr:
			_, number := n.Y.(*ast.BasicLit)
			is = is && (n.Op == token.ADD || n.Op == token.SUB || n.Op == token.MUL || n.Op == token.QUO && number)
		case *ast.UnaryExpr:
			is = is && n.Op != token.ARROW
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			is = false
		}
		return is
	})
	return is
}

// qualifier returns the name before the dot of an expression such as math.Pi, or "".
func qualifier(x ast.Expr) string {
	if s, ok := x.(*ast.SelectorExpr); ok {
		if of, ok := s.X.(*ast.Ident); ok {
			return of.Name
		}
	}
	return ""
}
