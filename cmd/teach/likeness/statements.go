package likeness

import (
	"go/ast"
	"go/token"
	"strings"
)

// block returns the normal form of some statements, of which the order is dropped:
// what order programs need is mostly the same, and what they do not need is free.
func (f *former) block(list []ast.Stmt) *node {
	return tree("block", unordered(f.statements(list))...)
}

func (f *former) statements(list []ast.Stmt) (nodes []*node) {
	for _, s := range list {
		for _, n := range f.stmt(s) {
			if n == nil {
				continue
			}
			if n.from == 0 {
				n.from, n.to = f.lines(s.Pos()), f.lines(s.End()-1)
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// stmt returns the normal form of a statement, which can be several, or none.
func (f *former) stmt(s ast.Stmt) []*node {
	if f.depth++; f.depth > maxDepth || f.nodes > maxNodes {
		f.depth--
		return nil
	}
	defer func() { f.depth-- }()
	f.nodes++
	switch s := s.(type) {
	case *ast.AssignStmt:
		return f.assignment(s)
	case *ast.DeclStmt:
		return f.declared(s.Decl)
	case *ast.BlockStmt:
		return []*node{f.block(s.List)}
	case *ast.LabeledStmt:
		return f.stmt(s.Stmt)
	case *ast.IfStmt:
		return append(f.initial(s.Init), tree("if", f.expr(s.Cond), f.block(s.Body.List), f.otherwise(s.Else)))
	case *ast.ForStmt:
		return f.forLoop(s)
	case *ast.SwitchStmt:
		return append(f.initial(s.Init), tree("switch", f.optional(s.Tag), f.block(s.Body.List)))
	case *ast.TypeSwitchStmt:
		return append(f.initial(s.Init), tree("switch type", tree("assign", f.stmt(s.Assign)...), f.block(s.Body.List)))
	default:
		return []*node{f.simple(s)}
	}
}

func (f *former) simple(s ast.Stmt) *node {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return f.expr(s.X)
	case *ast.ReturnStmt:
		return tree("return", f.exprs(s.Results)...)
	case *ast.IncDecStmt:
		op := token.Token(token.ADD)
		if s.Tok == token.DEC {
			op = token.SUB
		}
		return f.changed(op, s.X, tree("1"))
	case *ast.RangeStmt:
		return f.rangeLoop(s)
	case *ast.CaseClause:
		return tree("case", append(f.exprs(s.List), f.block(s.Body))...)
	case *ast.CommClause:
		return tree("case", append(f.initial(s.Comm), f.block(s.Body))...)
	case *ast.SelectStmt:
		return tree("select", f.block(s.Body.List))
	case *ast.GoStmt:
		return tree("go", f.expr(s.Call))
	case *ast.DeferStmt:
		return tree("defer", f.expr(s.Call))
	case *ast.SendStmt:
		return tree("send", f.expr(s.Chan), f.expr(s.Value))
	case *ast.BranchStmt:
		return tree(s.Tok.String())
	}
	return nil
}

func (f *former) initial(s ast.Stmt) []*node {
	if s == nil {
		return nil
	}
	return f.statements([]ast.Stmt{s})
}

func (f *former) otherwise(s ast.Stmt) *node {
	if s == nil {
		return nil
	}
	if b, ok := s.(*ast.BlockStmt); ok {
		return f.block(b.List)
	}
	return f.block([]ast.Stmt{s})
}

// assignment returns the assignments of a statement, one a variable where they can
// be told apart, without those of which the value stands where it is used.
func (f *former) assignment(s *ast.AssignStmt) (nodes []*node) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		return []*node{f.changed(operator(s.Tok), s.Lhs[0], f.expr(s.Rhs[0]))}
	}
	if s.Tok == token.ASSIGN && len(s.Lhs) > 1 || len(s.Lhs) != len(s.Rhs) {
		return []*node{tree("assign", append(f.exprs(s.Lhs), f.exprs(s.Rhs)...)...)}
	}
	for i, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE && f.substituted(f.means[id]) {
			continue
		}
		nodes = append(nodes, tree("assign", f.expr(e), f.expr(s.Rhs[i])))
	}
	return nodes
}

// operator returns the + of a +=.
func operator(assigning token.Token) token.Token {
	for op := token.ADD; op <= token.AND_NOT; op++ {
		if op.String() == strings.TrimSuffix(assigning.String(), "=") {
			return op
		}
	}
	return token.ILLEGAL
}

// changed returns x = x op y.
func (f *former) changed(op token.Token, x ast.Expr, y *node) *node {
	sum := binary(op, f.expr(x), y)
	sum.from, sum.to = f.lines(x.Pos()), max(f.lines(x.End()-1), y.to)
	return tree("assign", f.expr(x), sum)
}

func (f *former) declared(d ast.Decl) (nodes []*node) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range v.Names {
			value := at(v.Values, i, len(v.Names))
			switch l := f.means[name]; {
			case value == nil:
				nodes = append(nodes, tree("var", f.expr(name), f.optional(v.Type)))
			case !f.substituted(l):
				nodes = append(nodes, tree("assign", f.expr(name), f.expr(value)))
			}
		}
	}
	return nodes
}

// rangeLoop returns a loop over a bound: a number, or what has a length.
func (f *former) rangeLoop(s *ast.RangeStmt) *node {
	index, bound := f.index(s), f.expr(s.X)
	body := f.statements(s.Body.List)
	if id, ok := s.Value.(*ast.Ident); ok && id.Name != "_" && !f.substituted(f.means[id]) {
		element := tree("assign", f.expr(id), tree("index", f.expr(s.X), index))
		element.from, element.to = f.lines(s.Pos()), f.lines(s.Pos())
		body = append(body, element)
	}
	return tree("loop", index, bound, tree("block", unordered(body)...))
}

// forLoop returns for i := 0; i < n; i++ as the loop over n that it is, and any other
// by its parts.
func (f *former) forLoop(s *ast.ForStmt) []*node {
	init, _ := s.Init.(*ast.AssignStmt)
	cond, _ := s.Cond.(*ast.BinaryExpr)
	post, _ := s.Post.(*ast.IncDecStmt)
	if init != nil && cond != nil && post != nil && init.Tok == token.DEFINE && len(init.Lhs) == 1 && len(init.Rhs) == 1 &&
		cond.Op == token.LSS && post.Tok == token.INC {
		i, x, p := f.meaning(init.Lhs[0]), f.meaning(cond.X), f.meaning(post.X)
		if zero, ok := init.Rhs[0].(*ast.BasicLit); ok && zero.Value == "0" && i != nil && i == x && i == p {
			return []*node{tree("loop", chosen(i), f.bound(cond.Y), f.block(s.Body.List))}
		}
	}
	parts := append(f.initial(s.Init), f.optional(s.Cond))
	parts = append(parts, f.initial(s.Post)...)
	return []*node{tree("for", append(parts, f.block(s.Body.List))...)}
}

func (f *former) meaning(e ast.Expr) *local {
	id, _ := e.(*ast.Ident)
	return f.means[id]
}

// bound returns x of len(x), for a loop over x says no more.
func (f *former) bound(e ast.Expr) *node {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "len" && f.means[id] == nil {
			return f.expr(call.Args[0])
		}
	}
	return f.expr(e)
}
