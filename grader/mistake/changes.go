package mistake

import (
	"fmt"
	"go/ast"
	"go/token"
)

// changes returns what a declaration of a mistake's file asks for.
func (r *reader) changes(decl ast.Decl) ([]change, error) {
	if d, ok := decl.(*ast.GenDecl); ok {
		var changes []change
		for _, spec := range d.Specs {
			changes = append(changes, change{at: r.at(spec), name: specName(spec), keyword: d.Tok.String(),
				code: source(r.fset, r.text, []ast.Spec{spec})})
		}
		return changes, nil
	}
	fn, ok := decl.(*ast.FuncDecl)
	if !ok || fn.Body == nil {
		return nil, fmt.Errorf("%s: want a function with a body, a type, a constant or a variable", r.at(decl))
	}
	c := change{at: r.at(fn.Name), name: funcName(fn), keyword: "func"}
	for _, statement := range fn.Body.List {
		branch, ok := statement.(*ast.IfStmt)
		if !ok || !isRight(branch) {
			if len(c.edits) > 0 {
				return nil, fmt.Errorf("%s: %s has another statement beside “if right { … } else { … }”; write each change so, or the whole function", r.at(statement), c.name)
			}
			c.code = source(r.fset, r.text, []ast.Decl{fn})
			return []change{c}, nil
		}
		e, err := r.edit(branch)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", r.at(branch), c.name, err)
		}
		c.edits = append(c.edits, e)
	}
	if len(c.edits) == 0 {
		return nil, fmt.Errorf("%s: %s is empty; want “if right { … } else { … }”, or the whole function", c.at, c.name)
	}
	return []change{c}, nil
}

func isRight(branch *ast.IfStmt) bool {
	name, ok := branch.Cond.(*ast.Ident)
	return ok && name.Name == "right" && branch.Init == nil
}

// edit reads “if right { … } else { … }”.
func (r *reader) edit(branch *ast.IfStmt) (edit, error) {
	e := edit{at: r.at(branch), right: source(r.fset, r.text, branch.Body.List)}
	if len(branch.Body.List) == 0 {
		return e, fmt.Errorf("there is nothing under “if right”; to add statements, name one beside them in both branches")
	}
	for _, statement := range branch.Body.List {
		e.want = append(e.want, tokens(source(r.fset, r.text, []ast.Stmt{statement})))
	}
	wrong, ok := branch.Else.(*ast.BlockStmt)
	if !ok {
		return e, fmt.Errorf("“else { … }” after “if right { … }” is missing; leave it empty to drop the statements")
	}
	e.wrong = source(r.fset, r.text, wrong.List)
	if tokens(e.wrong) == tokens(e.right) {
		return e, fmt.Errorf("both branches hold the same code")
	}
	return e, nil
}

// funcName is the name of a function, or of a method with its type: "SwiGLU.Forward".
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// specName is the name that a type, a constant or a variable goes by: the first
// one, if several are declared together.
func specName(spec ast.Spec) string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Name.Name
	case *ast.ValueSpec:
		return s.Names[0].Name
	}
	return token.IMPORT.String()
}
