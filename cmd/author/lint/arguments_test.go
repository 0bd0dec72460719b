package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// maxArguments is how many arguments a reader of a call can keep apart.
const maxArguments = 6

// Every call in the steps and in the solutions can be read.
func TestNoCallHasManyArguments(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for _, folder := range []string{"steps", "solutions"} {
		err := filepath.WalkDir(filepath.Join(kit.Root, folder), func(path string, _ fs.DirEntry, err error) error {
			if filepath.Base(path) == "adamw.go" { // until its update is written out
				return err
			}
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, call := range longCalls(fset, file) {
				t.Error(call)
			}
			return nil
		})
		require.NoError(t, err)
	}
}

func TestLongCalls(t *testing.T) {
	const src = `package p

var _ = f(1, 2, 3, 4, 5, 6)
var _ = f(1, 2, 3, 4, 5, 6, 7)
var _ = x.f(g(1, 2, 3, 4, 5, 6, 7), "h(1, 2, 3, 4, 5, 6, 7)")
var _ = f("%d %d", 1, 2, 3, 4, 5, 6)
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	require.NoError(t, err)
	require.Equal(t, []string{
		"p.go:4:9: a call with 7 arguments; want at most 6",
		"p.go:5:13: a call with 7 arguments; want at most 6",
	}, longCalls(fset, file))
}

// longCalls names the calls in a file that have too many arguments. What a format
// string prints is not counted: it is read there.
func longCalls(fset *token.FileSet, file *ast.File) (calls []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		args := call.Args
		if format := slices.IndexFunc(args, isFormat); format >= 0 {
			args = args[:format+1]
		}
		if len(args) > maxArguments {
			calls = append(calls, fmt.Sprintf("%s: a call with %d arguments; want at most %d",
				fset.Position(call.Pos()), len(args), maxArguments))
		}
		return true
	})
	return calls
}

func isFormat(e ast.Expr) bool {
	text, ok := e.(*ast.BasicLit)
	return ok && text.Kind == token.STRING && strings.Contains(text.Value, "%")
}
