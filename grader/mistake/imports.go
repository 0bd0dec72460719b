package mistake

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"

	"golang.org/x/tools/go/ast/astutil"
)

// settleImports formats the changed text of a file. It adds those of the offered
// imports that the change needs, and removes those that nothing uses any more.
func settleImports(before *sourceFile, text []byte, offered []imported) ([]byte, error) {
	fset := token.NewFileSet()
	after, err := parser.ParseFile(fset, before.path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("what comes out is no Go code: %w", err)
	}
	used, formerly := qualifiers(after), qualifiers(before.tree)
	for _, i := range offered {
		if used[i.qualifier()] {
			astutil.AddNamedImport(fset, after, i.name, i.path)
		}
	}
	for _, i := range importsOf(after) {
		if q := i.qualifier(); !used[q] && formerly[q] {
			astutil.DeleteNamedImport(fset, after, i.name, i.path)
		}
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, after); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// qualifiers returns the names before the dots of a file: those of packages are
// among them.
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

var (
	majorVersion = regexp.MustCompile(`^v\d+$`)
	stepNumber   = regexp.MustCompile(`^step\d+_`)
)

// qualifier is what stands before the dot of what is imported. That of an import
// without a name is guessed from its path.
func (i imported) qualifier() string {
	if i.name != "" {
		return i.name
	}
	dir, name := path.Split(i.path)
	if majorVersion.MatchString(name) && dir != "" {
		name = path.Base(dir)
	}
	return stepNumber.ReplaceAllString(name, "")
}
