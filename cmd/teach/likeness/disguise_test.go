package likeness

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// disguise is something that is done to a copy, and what the table calls it.
type disguise struct {
	name, text string
	do         func(p *parsed)
}

func disguises() []disguise {
	single := []disguise{
		{"renamed", "other names", (*parsed).rename},
		{"laid out", "other comments, layout, spelling of numbers, `x += y` as `x = x + y`, `a > b` as `b < a`", (*parsed).respell},
		{"reordered", "declarations and independent statements in another order", (*parsed).reorder},
		{"loops", "`range` loops as `for` loops that count", (*parsed).rewriteLoops},
		{"split", "expressions split into variables", (*parsed).split},
		{"padded", "statements put in that do nothing", (*parsed).pad},
	}
	all := func(p *parsed) {
		for _, d := range single {
			d.do(p)
			p.again()
		}
	}
	return append([]disguise{{"copied", "as it is", func(*parsed) {}}}, append(single, disguise{"all", "all of these", all})...)
}

// parsed is the code of a step as trees that can be changed.
type parsed struct {
	t     *testing.T
	set   *token.FileSet
	files map[string]*ast.File
	info  *types.Info
	wrong int // what the type checker finds wrong
	names int // that were made up
}

func parse(t *testing.T, code Code) *parsed {
	p := &parsed{t: t, set: token.NewFileSet(), files: map[string]*ast.File{},
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	var list []*ast.File
	for _, name := range slices.Sorted(maps.Keys(code)) {
		file, err := parser.ParseFile(p.set, name, code[name], parser.SkipObjectResolution)
		require.NoError(t, err, "%s", code[name])
		p.files[name] = file
		list = append(list, file)
	}
	// Without imports much has no type, which names do not need.
	config := types.Config{Error: func(err error) {
		if strings.Contains(err.Error(), "declared and not used") {
			p.wrong++
		}
	}}
	_, _ = config.Check("p", p.set, list, p.info)
	return p
}

func (p *parsed) code() Code {
	code := Code{}
	for name, file := range p.files {
		file.Comments, file.Doc = nil, nil
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				n.Doc = nil
			case *ast.GenDecl:
				n.Doc = nil
			case *ast.Field:
				n.Doc, n.Comment = nil, nil
			case *ast.ValueSpec:
				n.Doc, n.Comment = nil, nil
			case *ast.TypeSpec:
				n.Doc, n.Comment = nil, nil
			}
			return true
		})
		var b bytes.Buffer
		require.NoError(p.t, format.Node(&b, token.NewFileSet(), file))
		code[name] = b.Bytes()
	}
	return code
}

// again reads what was changed, for another change.
func (p *parsed) again() {
	next := parse(p.t, p.code())
	next.names = p.names
	*p = *next
}

func (p *parsed) fresh() string {
	p.names++
	return "fresh" + strconv.Itoa(p.names)
}

// rename gives every name that the program declares for itself another one.
func (p *parsed) rename() {
	by := map[types.Object]string{}
	for _, ids := range []map[*ast.Ident]types.Object{p.info.Defs, p.info.Uses} {
		for _, id := range slices.SortedFunc(maps.Keys(ids), func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) }) {
			obj := ids[id]
			if obj == nil || id.Name == "_" || obj.Pos() == token.NoPos || id.IsExported() {
				continue
			}
			if _, pkg := obj.(*types.PkgName); pkg {
				continue
			}
			if by[obj] == "" {
				by[obj] = p.fresh()
			}
			id.Name = by[obj]
		}
	}
}

// respell writes the same in other characters.
func (p *parsed) respell() {
	p.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil && n.Kind == token.INT {
				n.Value = fmt.Sprintf("0x%x", v)
			}
			if n.Kind == token.FLOAT {
				n.Value += "e0"
				if strings.ContainsAny(n.Value[:len(n.Value)-2], "eExX") {
					n.Value = n.Value[:len(n.Value)-2]
				}
			}
		case *ast.BinaryExpr:
			if other := map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ}[n.Op]; other != 0 {
				n.X, n.Y, n.Op = &ast.ParenExpr{X: n.Y}, &ast.ParenExpr{X: n.X}, other
			}
		case *ast.AssignStmt:
			if op := operator(n.Tok); n.Tok != token.ASSIGN && n.Tok != token.DEFINE && op != token.ILLEGAL {
				n.Rhs[0] = &ast.BinaryExpr{X: n.Lhs[0], Op: op, Y: &ast.ParenExpr{X: n.Rhs[0]}}
				n.Tok = token.ASSIGN
			}
		}
	})
}

func (p *parsed) each(f func(ast.Node)) {
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		ast.Inspect(p.files[name], func(n ast.Node) bool { f(n); return true })
	}
}

// blocks changes the statements of every block.
func (p *parsed) blocks(f func([]ast.Stmt) []ast.Stmt) {
	p.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BlockStmt:
			n.List = f(n.List)
		case *ast.CaseClause:
			n.Body = f(n.Body)
		}
	})
}

// reorder turns the order of declarations round, and that of statements that follow
// each other and name nothing in common.
func (p *parsed) reorder() {
	for _, file := range p.files {
		rest := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return !ok || g.Tok != token.IMPORT
		})
		slices.Reverse(file.Decls[max(rest, 0):])
	}
	p.blocks(func(list []ast.Stmt) []ast.Stmt {
		for i := 0; i+1 < len(list); i++ {
			if independent(list[i], list[i+1]) {
				list[i], list[i+1] = list[i+1], list[i]
				i++
			}
		}
		return list
	})
}

func independent(a, b ast.Stmt) bool {
	for _, s := range []ast.Stmt{a, b} {
		switch s.(type) {
		case *ast.AssignStmt, *ast.DeclStmt, *ast.RangeStmt, *ast.ForStmt, *ast.IncDecStmt:
		default:
			return false
		}
	}
	names := map[string]bool{}
	ast.Inspect(a, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	apart := true
	ast.Inspect(b, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[id.Name] && types.Universe.Lookup(id.Name) == nil && id.Name != "tensor" && id.Name != "Data" {
			apart = false
		}
		return true
	})
	return apart
}

// disguised returns a copy.
func disguised(t *testing.T, d disguise, code Code) Code {
	p := parse(t, code)
	d.do(p)
	return p.code()
}
