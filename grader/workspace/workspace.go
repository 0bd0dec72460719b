// Package workspace decides whose code stands behind each step's import path:
// the student's own, the solution's, a submission's, the stub as it was handed
// out, or one of these with files laid over it.
//
// The decision is made with Go's -overlay when a step's probe is built. The code
// is read once into a private snapshot, so that an edit during the build cannot
// mix two versions, and nothing is ever written into the student's tree.
package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// module is the import path of the kit's module.
const module = "github.com/stubformer/stubformer"

// stepsPath is how the import path of every step begins.
const stepsPath = module + "/steps/"

// Kit is a checkout of the course.
type Kit struct {
	Root string // absolute path of the folder that holds go.mod

	from     string // where the person stands: paths in messages are relative to it
	pristine fs.FS  // one stepNN_x.txtar a step
	exports  exports
}

// Find returns the kit that dir lies in: it looks for the kit's go.mod in dir
// and above.
func Find(dir string) (*Kit, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for root := from; ; root = filepath.Dir(root) {
		if isKit(root) {
			stubs, err := fs.Sub(embedded, "pristine")
			return &Kit{Root: root, from: from, pristine: stubs}, err
		}
		if root == filepath.Dir(root) {
			return nil, lang.Errorf("%s does not lie in a checkout of Stubformer: "+
				"no go.mod of module %s was found here or above; change to the folder that you cloned and try again", from, module)
		}
	}
}

// isKit reports whether dir holds the go.mod of the kit's module.
func isKit(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`) == module
		}
	}
	return false
}

// Folders returns the folders of the steps that exist, in order: step01_init, …
func (k *Kit) Folders() ([]string, error) { return stepFolders(k.Root) }

func stepFolders(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, "steps"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("the kit in %s has no folder steps", root)
	}
	if err != nil {
		return nil, err
	}
	name := regexp.MustCompile(`^step\d\d_\w+$`)
	var folders []string
	for _, e := range entries {
		if name.MatchString(e.Name()) && isFolder(filepath.Join(root, "steps", e.Name())) {
			folders = append(folders, e.Name())
		}
	}
	return folders, nil
}

// isFolder reports whether a path is that of a folder, or of a link to one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// HasSolutions reports whether the kit holds the solution of a step. A student
// edition holds none.
func (k *Kit) HasSolutions(folder string) bool {
	return isFolder(filepath.Join(k.Root, "solutions", folder))
}

// WithSolutions reports whether the kit holds the solutions of all steps.
func (k *Kit) WithSolutions() bool {
	folders, err := k.Folders()
	return err == nil && !slices.ContainsFunc(folders, func(f string) bool { return !k.HasSolutions(f) })
}

// shown is how messages write a path: relative to where the person stands.
func (k *Kit) shown(path string) string {
	if rel, err := filepath.Rel(k.from, path); err == nil {
		return rel
	}
	return path
}
