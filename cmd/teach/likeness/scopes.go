package likeness

import (
	"go/ast"
	"go/token"
)

// local is a variable, constant or parameter of a function.
type local struct {
	value    ast.Expr       // what it was declared as; nil if that is no single expression
	elements *ast.RangeStmt // or the loop whose elements it is
	uses     int
	written  bool // after its declaration
	size     int  // nodes of what it stands for; 0 if they have not been counted
}

// scopes finds out which name in a function means which local. It is done without
// types, which a submission need not have.
type scopes struct {
	stack  []map[string]*local
	means  map[*ast.Ident]*local
	failed bool // too deep
	depth  int
}

// resolve returns the locals that the names in a declaration mean.
func resolve(d ast.Node) (means map[*ast.Ident]*local, ok bool) {
	s := &scopes{means: map[*ast.Ident]*local{}}
	s.within(func() { s.walk(d) })
	return s.means, !s.failed
}

func (s *scopes) within(f func()) {
	s.stack = append(s.stack, map[string]*local{})
	f()
	s.stack = s.stack[:len(s.stack)-1]
}

// declare makes a local, or returns that of the same name in the same scope.
func (s *scopes) declare(e ast.Expr, value ast.Expr) *local {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	top := s.stack[len(s.stack)-1]
	if old := top[id.Name]; old != nil { // x, err := …, where err is there
		old.written = true
		s.means[id] = old
		return nil
	}
	l := &local{value: value}
	top[id.Name], s.means[id] = l, l
	return l
}

func (s *scopes) fields(lists ...*ast.FieldList) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			s.walk(f.Type)
			for _, name := range f.Names {
				s.declare(name, nil)
			}
		}
	}
}

// write notes that something is written through an expression.
func (s *scopes) write(e ast.Expr) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && s.means[id] != nil {
		s.means[id].written = true
		s.means[id].uses--
	}
}

// maxDepth is how deep the trees are that are compared.
const maxDepth = 200

// walk visits n and what is below it.
func (s *scopes) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s.depth++; s.depth > maxDepth {
			s.failed = true
		}
		if n == nil {
			s.depth -= 2 // this call, and the one of the node that ends
			return false
		}
		if s.failed {
			return false
		}
		if s.visit(n) {
			return true
		}
		s.depth-- // Inspect does not say that it ends
		return false
	})
}

// visit visits a node, and reports whether its parts are still to be visited.
func (s *scopes) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		for i := len(s.stack) - 1; i >= 0; i-- {
			if l := s.stack[i][n.Name]; l != nil {
				l.uses++
				s.means[n] = l
				break
			}
		}
	case *ast.SelectorExpr:
		s.walk(n.X)
		return false
	case *ast.KeyValueExpr:
		if _, field := n.Key.(*ast.Ident); !field {
			s.walk(n.Key)
		}
		s.walk(n.Value)
		return false
	case *ast.UnaryExpr:
		s.walk(n.X)
		if n.Op == token.AND {
			s.write(n.X)
		}
		return false
	case *ast.StructType, *ast.InterfaceType, *ast.BranchStmt:
		return false
	case *ast.FuncDecl:
		s.within(func() { s.fields(n.Recv, n.Type.TypeParams, n.Type.Params, n.Type.Results); s.body(n.Body) })
		return false
	case *ast.FuncLit:
		s.within(func() { s.fields(n.Type.Params, n.Type.Results); s.body(n.Body) })
		return false
	case ast.Stmt:
		return s.statement(n)
	case *ast.GenDecl:
		s.declaration(n)
		return false
	}
	return true
}

func (s *scopes) body(b *ast.BlockStmt) {
	if b != nil {
		s.walk(b)
	}
}

func (s *scopes) declaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if v.Type != nil {
			s.walk(v.Type)
		}
		s.exprs(v.Values)
		for i, name := range v.Names {
			s.declare(name, at(v.Values, i, len(v.Names)))
		}
	}
}

func (s *scopes) exprs(list []ast.Expr) {
	for _, e := range list {
		s.walk(e)
	}
}

// at returns the i-th of as many values as there are names; nil if there are
// other than these.
func at(values []ast.Expr, i, names int) ast.Expr {
	if len(values) != names {
		return nil
	}
	return values[i]
}
