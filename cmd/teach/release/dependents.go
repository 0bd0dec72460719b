package release

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of the kit's module.
const module = "github.com/stubformer/stubformer"

// dropDependents takes out the packages that are built on a step which the
// edition leaves out, such as the program that trains the whole model, and the
// packages that are built on those. A file that says `//edition:alone` goes alone: its
// package does without.
func (e *edition) dropDependents() error {
	for {
		gone, err := e.dependents()
		if err != nil || len(gone) == 0 {
			return err
		}
		for pattern := range gone {
			files, err := filepath.Glob(filepath.Join(e.root, filepath.FromSlash(pattern)))
			for _, name := range files {
				err = errors.Join(err, os.Remove(name))
			}
			if err != nil {
				return err
			}
		}
	}
}

// goesAlone is the directive of a file without which its package can be built.
const goesAlone = "//edition:alone"

// dependents are the patterns of the Go files to take out: of the folders in which one
// imports a package of the kit that is not there, or of that file alone.
func (e *edition) dependents() (map[string]bool, error) {
	gone := map[string]bool{}
	err := fs.WalkDir(os.DirFS(e.root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(e.root, filepath.FromSlash(name)), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		pattern := path.Join(path.Dir(name), "*.go")
		if slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool { return c.List[0].Text == goesAlone }) {
			pattern = name
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if inside, ours := strings.CutPrefix(imported, module+"/"); ours && !e.hasPackage(inside) {
				gone[pattern] = true
			}
		}
		return nil
	})
	return gone, err
}

// hasPackage reports whether a folder of the edition holds Go files.
func (e *edition) hasPackage(folder string) bool {
	files, err := filepath.Glob(filepath.Join(e.root, filepath.FromSlash(folder), "*.go"))
	return err == nil && len(files) > 0
}
