package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// Package whole alone writes a file beside another and gives it that one's name:
// it knows of links, devices, pipes and permissions. What students hand in does it
// on its own, and so does what must import little.
func TestFilesAreReplacedByWhole(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(kit.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() && (slices.Contains([]string{"testdata", "mistakes", "solutions", "steps", "whole", "launch"}, name) || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Empty(t, replacing(t, source), "%s: use grader/host/whole", path)
		return nil
	}))
}

// replacing returns the functions of a file that make a temporary file and rename one.
func replacing(t *testing.T, source []byte) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(t, err)
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is {
			continue
		}
		calls := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				if of, is := s.X.(*ast.Ident); is && of.Name == "os" {
					calls[s.Sel.Name] = true
				}
			}
			return true
		})
		if calls["CreateTemp"] && calls["Rename"] {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

func TestReplacingIsSeen(t *testing.T) {
	source := `package p
func write(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".x-*")
	return errors.Join(err, f.Close(), os.Rename(f.Name(), name))
}
func probe(dir string) { os.CreateTemp(dir, "x") }`
	require.Equal(t, []string{"write"}, replacing(t, []byte(source)))
}
