package mistake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
)

var root = filepath.Join("..", "..")

// Every step knows ten mistakes or more, and each of them makes of the solution
// formatted code that compiles. Whether they are caught and named, grade dev
// mutate tells.
func TestCatalogue(t *testing.T) {
	solutions, err := Solutions(root)
	require.NoError(t, err)
	c := newCompiler(t, solutions)
	for _, s := range registry.Steps() {
		t.Run(s.ID, func(t *testing.T) {
			mistakes, err := Load(root, s.Folder)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(mistakes), 10)
			for _, m := range mistakes {
				for _, v := range m.Versions {
					changed, err := v.Apply(solutions)
					require.NoError(t, err)
					require.NotEmpty(t, changed, v.ID)
					for name, text := range changed {
						require.NotEqual(t, tokens(string(solutions[name])), tokens(string(text)), v.ID)
						formatted, err := format.Source(text)
						require.NoError(t, err, v.ID)
						require.Equal(t, string(formatted), string(text), v.ID)
					}
					require.NoError(t, c.check(changed), v.ID)
				}
			}
		})
	}
}

// A solution with other comments, other blank lines and its calls broken into
// lines has the same mistakes.
func TestReformatting(t *testing.T) {
	sweep.Only(t)
	solutions, err := Solutions(root)
	require.NoError(t, err)
	other := map[string][]byte{}
	for name, text := range solutions {
		other[name] = reformatted(t, text)
		require.NotEqual(t, string(text), string(other[name]), name)
		require.Equal(t, tokens(string(text)), tokens(string(other[name])), name)
	}
	for _, s := range registry.Steps() {
		mistakes, err := Load(root, s.Folder)
		require.NoError(t, err)
		for _, m := range mistakes {
			for _, v := range m.Versions {
				want, err := v.Apply(solutions)
				require.NoError(t, err)
				got, err := v.Apply(other)
				require.NoError(t, err)
				require.Len(t, got, len(want), v.ID)
				for name := range want {
					require.Equal(t, tokens(string(want[name])), tokens(string(got[name])), v.ID)
				}
			}
		}
	}
}

// reformatted strips the comments from a file, writes others before every
// statement, and puts the arguments of every call on lines of their own.
func reformatted(t *testing.T, text []byte) []byte {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var bare bytes.Buffer
	require.NoError(t, format.Node(&bare, fset, tree))
	fset = token.NewFileSet()
	tree, err = parser.ParseFile(fset, "", bare.Bytes(), parser.SkipObjectResolution)
	require.NoError(t, err)

	type insertion struct {
		at   int
		text string
	}
	var all []insertion
	insert := func(pos token.Pos, text string) { all = append(all, insertion{fset.Position(pos).Offset, text}) }
	ast.Inspect(tree, func(n ast.Node) bool {
		for _, s := range statements(n) {
			insert(s.Pos(), "\n\n// Another comment, (with, code):\n")
		}
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
			last := call.Args[len(call.Args)-1].End()
			insert(call.Lparen+1, "\n")
			if !bytes.ContainsRune(bare.Bytes()[fset.Position(last).Offset:fset.Position(call.Rparen).Offset], ',') {
				insert(call.Rparen, ", // the last\n")
			}
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b insertion) int { return b.at - a.at })
	out := bare.Bytes()
	for _, i := range all {
		out = slices.Insert(out, i.at, []byte(i.text)...)
	}
	out, err = format.Source(out)
	require.NoError(t, err)
	return out
}

// compiler checks the types of changed solutions.
type compiler struct {
	solutions map[string][]byte
	fset      *token.FileSet
	trees     map[string]*ast.File // of the unchanged files, by path
	importer  types.Importer
}

// needed returns the packages that the mistakes import.
func needed(t *testing.T) (packages []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "grader", "course", "*", "mistakes", "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			packages = append(packages, strings.Trim(spec.Path.Value, `"`))
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// newCompiler asks the go command for the compiled packages that solutions and
// mistakes import.
func newCompiler(t *testing.T, solutions map[string][]byte) *compiler {
	t.Helper()
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Export", "./solutions/..."}, needed(t)...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct{ ImportPath, Export string }
		require.NoError(t, d.Decode(&p))
		exports[p.ImportPath] = p.Export
	}
	c := &compiler{solutions: solutions, fset: token.NewFileSet(), trees: map[string]*ast.File{}}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("nothing imports %s", path)
		}
		return os.Open(exports[path])
	})
	return c
}

// check checks the types of the package that the changed files belong to.
func (c *compiler) check(changed map[string][]byte) error {
	var folder string
	for name := range changed {
		folder = path.Dir(name)
	}
	var files []*ast.File
	for name := range c.solutions {
		ours, err := build.Default.MatchFile(filepath.Join(root, "solutions", folder), path.Base(name))
		if path.Dir(name) != folder || err == nil && !ours {
			continue
		}
		tree := c.trees[name]
		if text, ok := changed[name]; ok || tree == nil {
			if !ok {
				text = c.solutions[name]
			}
			if tree, err = parser.ParseFile(c.fset, name, text, 0); err != nil {
				return err
			}
			if !ok {
				c.trees[name] = tree
			}
		}
		files = append(files, tree)
	}
	_, err := (&types.Config{Importer: c.importer}).Check(folder, c.fset, files, nil)
	return err
}
