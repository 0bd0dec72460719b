package likeness

import (
	"go/ast"
	"go/token"
)

// statement visits a statement that declares, writes or has a scope of its own, and
// reports whether it is none of these.
func (s *scopes) statement(n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		s.within(func() { s.statements(n.List) })
	case *ast.IfStmt:
		s.within(func() { s.parts(n.Init, n.Cond, n.Body, n.Else) })
	case *ast.ForStmt:
		s.within(func() { s.parts(n.Init, n.Cond, n.Post, n.Body) })
	case *ast.SwitchStmt:
		s.within(func() { s.parts(n.Init, n.Tag, n.Body) })
	case *ast.TypeSwitchStmt:
		s.within(func() { s.parts(n.Init, n.Assign, n.Body) })
	case *ast.CaseClause:
		s.within(func() { s.exprs(n.List); s.statements(n.Body) })
	case *ast.CommClause:
		s.within(func() { s.parts(n.Comm); s.statements(n.Body) })
	case *ast.RangeStmt:
		s.loop(n)
	case *ast.LabeledStmt:
		s.walk(n.Stmt)
	case *ast.IncDecStmt:
		s.walk(n.X)
		s.write(n.X)
	case *ast.AssignStmt:
		s.assignment(n)
	default:
		return true
	}
	return false
}

func (s *scopes) statements(list []ast.Stmt) {
	for _, stmt := range list {
		s.walk(stmt)
	}
}

// parts visits the parts of a statement that are there.
func (s *scopes) parts(parts ...ast.Node) {
	for _, p := range parts {
		switch p := p.(type) { // an interface that holds nothing is not nil
		case nil:
		case ast.Stmt:
			s.walk(p)
		case ast.Expr:
			s.walk(p)
		}
	}
}

func (s *scopes) loop(n *ast.RangeStmt) {
	s.walk(n.X)
	s.within(func() {
		for _, e := range []ast.Expr{n.Key, n.Value} {
			switch {
			case e == nil:
			case n.Tok != token.DEFINE:
				s.walk(e)
				s.write(e)
			default:
				if l := s.declare(e, nil); l != nil && e == n.Value {
					l.elements = n
				}
			}
		}
		s.walk(n.Body)
	})
}

func (s *scopes) assignment(n *ast.AssignStmt) {
	s.exprs(n.Rhs)
	for i, e := range n.Lhs {
		if n.Tok == token.DEFINE {
			s.declare(e, at(n.Rhs, i, len(n.Lhs)))
			continue
		}
		s.walk(e)
		s.write(e)
	}
}
