package likeness

import (
	"go/ast"
	"go/token"
	"strconv"
)

// former brings a declaration into its normal form.
type former struct {
	names *names
	means map[*ast.Ident]*local
	lines func(token.Pos) int
	nodes int // that were made, to end what grows without bound
	depth int
}

// maxNodes is how large a function may become in its normal form.
const maxNodes = 20_000

// substituted reports whether a local stands for what it was declared as: it never
// changes, and is used once or is short. So it makes no difference whether an
// expression has been given a name.
func (f *former) substituted(l *local) bool {
	const short = 8 // nodes, with all locals in it substituted
	if l == nil || l.written {
		return false
	}
	if l.size == 0 {
		switch {
		case l.elements != nil:
			l.size = f.count(l.elements.X)
		case l.value != nil:
			l.size = f.count(l.value)
		default:
			l.size = maxNodes
		}
	}
	return l.size <= short || l.size < maxNodes && l.uses <= 1 && l.elements == nil
}

// count returns the number of nodes of an expression after substitution; maxNodes
// if it would have more.
func (f *former) count(e ast.Expr) (n int) {
	ast.Inspect(e, func(part ast.Node) bool {
		if part == nil || n >= maxNodes {
			return false
		}
		n++
		if id, ok := part.(*ast.Ident); ok && f.substituted(f.means[id]) {
			n += f.means[id].size - 1
		}
		return true
	})
	return min(n, maxNodes)
}

// expr returns the normal form of an expression.
func (f *former) expr(e ast.Expr) *node {
	if f.depth++; f.depth > maxDepth || f.nodes > maxNodes {
		f.depth--
		return tree("…")
	}
	n := f.form(e)
	f.depth--
	f.nodes++
	if n != nil && n.from == 0 {
		n.from, n.to = f.lines(e.Pos()), f.lines(e.End()-1)
	}
	return n
}

func (f *former) exprs(list []ast.Expr) (nodes []*node) {
	for _, e := range list {
		nodes = append(nodes, f.optional(e))
	}
	return nodes
}

func (f *former) optional(e ast.Expr) *node {
	if e == nil {
		return nil
	}
	return f.expr(e)
}

func (f *former) form(e ast.Expr) *node {
	switch e := e.(type) {
	case *ast.Ident:
		return f.ident(e)
	case *ast.BasicLit:
		return literal(e)
	case *ast.ParenExpr:
		return f.expr(e.X)
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.BinaryExpr:
		return binary(e.Op, f.expr(e.X), f.expr(e.Y))
	case *ast.UnaryExpr:
		return tree(e.Op.String(), f.expr(e.X))
	case *ast.StarExpr:
		return tree("*", f.expr(e.X))
	case *ast.CallExpr:
		return tree("call", append([]*node{f.expr(e.Fun)}, f.exprs(e.Args)...)...)
	case *ast.IndexExpr:
		return tree("index", f.expr(e.X), f.expr(e.Index))
	case *ast.IndexListExpr:
		return tree("index", append([]*node{f.expr(e.X)}, f.exprs(e.Indices)...)...)
	case *ast.SliceExpr:
		return tree("slice", f.expr(e.X), f.orNone(e.Low), f.orNone(e.High), f.optional(e.Max))
	case *ast.KeyValueExpr:
		return tree("key", f.key(e.Key), f.expr(e.Value))
	case *ast.CompositeLit:
		return tree("literal", append([]*node{f.optional(e.Type)}, f.exprs(e.Elts)...)...)
	case *ast.FuncLit:
		return tree("func", f.block(e.Body.List))
	case *ast.TypeAssertExpr:
		return tree("assert", f.expr(e.X), f.optional(e.Type))
	default:
		return f.typ(e)
	}
}

// typ returns the normal form of what is the name of no type.
func (f *former) typ(e ast.Expr) *node {
	switch e := e.(type) {
	case *ast.ArrayType:
		return tree("[]", f.optional(e.Len), f.expr(e.Elt))
	case *ast.MapType:
		return tree("map", f.expr(e.Key), f.expr(e.Value))
	case *ast.ChanType:
		return tree("chan", f.expr(e.Value))
	case *ast.Ellipsis:
		return tree("...", f.optional(e.Elt))
	}
	return tree("type")
}

func (f *former) orNone(e ast.Expr) *node {
	if e == nil {
		return tree("none")
	}
	return f.expr(e)
}

func (f *former) ident(id *ast.Ident) *node {
	l := f.means[id]
	switch {
	case l == nil && f.names.own[id.Name]:
		return chosen("own " + id.Name)
	case l == nil:
		return tree(id.Name)
	case !f.substituted(l):
		return chosen(l)
	case l.elements != nil:
		return tree("index", f.expr(l.elements.X), f.index(l.elements))
	}
	return f.expr(l.value)
}

// index returns the variable that counts a loop, whether it has a name or not.
func (f *former) index(loop *ast.RangeStmt) *node {
	if id, ok := loop.Key.(*ast.Ident); ok && f.means[id] != nil {
		return chosen(f.means[id])
	}
	return chosen(loop)
}

func (f *former) selector(e *ast.SelectorExpr) *node {
	if pkg, ok := e.X.(*ast.Ident); ok && f.means[pkg] == nil && f.names.imports[pkg.Name] != "" {
		return tree(f.names.imports[pkg.Name] + "." + e.Sel.Name)
	}
	return tree(".", f.expr(e.X), f.field(e.Sel))
}

// field returns the name of a field or method, which is kept if the kit gave it.
func (f *former) field(id *ast.Ident) *node {
	if f.names.given[id.Name] {
		return tree("." + id.Name)
	}
	return chosen("field " + id.Name)
}

func (f *former) key(e ast.Expr) *node {
	if id, ok := e.(*ast.Ident); ok {
		return f.field(id)
	}
	return f.expr(e)
}

// literal returns a number by its value, however it is spelt, and a text as a text.
func literal(e *ast.BasicLit) *node {
	if e.Kind == token.STRING {
		return tree("text")
	}
	if i, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
		return tree(strconv.FormatInt(i, 10))
	}
	if x, err := strconv.ParseFloat(e.Value, 64); err == nil {
		return tree(strconv.FormatFloat(x, 'f', -1, 64)) // 1.0 is 1
	}
	if r, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.CHAR {
		return tree(strconv.FormatInt(int64([]rune(r)[0]), 10))
	}
	return tree(e.Value)
}

// binary returns the normal form of an operation: the smaller side of a comparison
// comes first, and operands whose order makes no difference are put in order.
func binary(op token.Token, x, y *node) *node {
	switch op {
	case token.GTR:
		return tree("<", y, x)
	case token.GEQ:
		return tree("<=", y, x)
	case token.ADD, token.MUL, token.EQL, token.NEQ, token.LAND, token.LOR:
		return tree(op.String(), unordered([]*node{x, y})...)
	}
	return tree(op.String(), x, y)
}
