package release

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// module is the import path of the kit's module.
const module = "github.com/stubformer/stubformer"

// dropDependents takes out the packages that are built on a step which the
// edition leaves out, such as the program that trains the whole model, and the
// packages that are built on those.
func (e *edition) dropDependents() error {
	for {
		gone, err := e.dependents()
		if err != nil || len(gone) == 0 {
			return err
		}
		for folder := range gone {
			files, err := filepath.Glob(filepath.Join(e.root, filepath.FromSlash(folder), "*.go"))
			for _, name := range files {
				err = errors.Join(err, os.Remove(name))
			}
			if err != nil {
				return err
			}
		}
	}
}

// dependents are the folders of which a Go file imports a package of the kit
// that is not there.
func (e *edition) dependents() (map[string]bool, error) {
	gone := map[string]bool{}
	err := fs.WalkDir(os.DirFS(e.root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(e.root, filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if inside, ours := strings.CutPrefix(imported, module+"/"); ours && !e.hasPackage(inside) {
				gone[path.Dir(name)] = true
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
