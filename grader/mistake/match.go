package mistake

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// tokens writes code as its tokens with a space between two, so that comments,
// line breaks and trailing commas make no difference.
func tokens(code string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(code)), []byte(code), nil, 0)
	var all []string
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return strings.TrimSuffix(strings.Join(all, " "), " ;")
		case tok == token.SEMICOLON || !tok.IsLiteral():
			text = tok.String() // a semicolon may be a line break
		}
		closes := tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE
		if n := len(all) - 1; closes && n >= 0 && (all[n] == ";" || all[n] == ",") {
			all = all[:n]
		}
		all = append(all, text)
	}
}

// run is a number of statements that follow each other.
type run []ast.Stmt

// find returns where in a declaration statements with these tokens stand,
// however deep; code returns the text of a statement.
func find(decl ast.Node, want []string, code func(ast.Stmt) string) []run {
	var found []run
	ast.Inspect(decl, func(n ast.Node) bool {
		list := statements(n)
		have := make([]string, len(list))
		for i, s := range list {
			have[i] = tokens(code(s))
		}
		for i := 0; i+len(want) <= len(list); i++ {
			if slices.Equal(have[i:i+len(want)], want) {
				found = append(found, list[i:i+len(want)])
			}
		}
		return true
	})
	return found
}

// statements returns the list of statements that a node is, if it is one.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}
