package likeness

import (
	"go/ast"
	"go/token"
	"strconv"
)

// rewriteLoops writes loops over slices and numbers with a counter. What a loop goes
// over is not known without types: the elements tell a slice, or what it is called on.
func (p *parsed) rewriteLoops() {
	p.blocks(func(list []ast.Stmt) []ast.Stmt {
		for i, s := range list {
			if r, ok := s.(*ast.RangeStmt); ok && r.Tok == token.DEFINE {
				list[i] = p.counted(r)
			}
		}
		return list
	})
}

func (p *parsed) counted(r *ast.RangeStmt) ast.Stmt {
	index, _ := r.Key.(*ast.Ident)
	if index == nil || index.Name == "_" {
		index = ast.NewIdent(p.fresh())
	}
	bound := r.X
	if isList(r) {
		bound = &ast.CallExpr{Fun: ast.NewIdent("len"), Args: []ast.Expr{r.X}}
	}
	body := r.Body
	if v, ok := r.Value.(*ast.Ident); ok && v.Name != "_" {
		element := &ast.AssignStmt{Lhs: []ast.Expr{v}, Tok: token.DEFINE, Rhs: []ast.Expr{&ast.IndexExpr{X: r.X, Index: index}}}
		body = &ast.BlockStmt{List: append([]ast.Stmt{element}, r.Body.List...)}
	}
	return &ast.ForStmt{
		Init: &ast.AssignStmt{Lhs: []ast.Expr{index}, Tok: token.DEFINE, Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "0"}}},
		Cond: &ast.BinaryExpr{X: index, Op: token.LSS, Y: bound},
		Post: &ast.IncDecStmt{X: index, Tok: token.INC},
		Body: body,
	}
}

// isList guesses whether a loop goes over what has a length.
func isList(r *ast.RangeStmt) bool {
	if r.Value != nil {
		return true
	}
	sel, ok := r.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Data"
}

// split gives parts of expressions a name, in the statement before.
func (p *parsed) split() {
	p.blocks(func(list []ast.Stmt) (longer []ast.Stmt) {
		for _, s := range list {
			var parts []*ast.Expr
			switch s := s.(type) {
			case *ast.AssignStmt:
				parts = operands(s.Rhs)
			case *ast.ReturnStmt:
				parts = operands(s.Results)
			case *ast.ExprStmt:
				parts = operands([]ast.Expr{s.X})
			}
			for _, e := range parts {
				id := ast.NewIdent(p.fresh())
				longer = append(longer, &ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.DEFINE, Rhs: []ast.Expr{*e}})
				*e = id
			}
			longer = append(longer, s)
		}
		return longer
	})
}

// operands returns the operands of operations and the arguments of calls that are
// expressions themselves.
func operands(list []ast.Expr) (all []*ast.Expr) {
	take := func(e *ast.Expr) {
		switch ast.Unparen(*e).(type) {
		case *ast.BinaryExpr, *ast.CallExpr, *ast.IndexExpr:
			all = append(all, e)
		}
	}
	for _, e := range list {
		switch e := ast.Unparen(e).(type) {
		case *ast.BinaryExpr:
			if e.Op != token.LAND && e.Op != token.LOR {
				take(&e.X)
				take(&e.Y)
			}
		case *ast.CallExpr:
			if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") || e.Ellipsis != 0 {
				continue // whose arguments are types
			}
			for i := range e.Args {
				take(&e.Args[i])
			}
		}
	}
	return all
}

// pad puts statements in that do nothing, one in three.
func (p *parsed) pad() {
	k := 0
	p.blocks(func(list []ast.Stmt) (longer []ast.Stmt) {
		for _, s := range list {
			_, clause := s.(*ast.CaseClause)
			_, comm := s.(*ast.CommClause)
			if k++; k%3 == 0 && !clause && !comm {
				id := ast.NewIdent(p.fresh())
				longer = append(longer, &ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.DEFINE, Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(k)}}},
					&ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.ADD_ASSIGN, Rhs: []ast.Expr{id}})
			}
			longer = append(longer, s)
		}
		return longer
	})
}
