package class

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// KitHash returns a hash of all that grading is done with: the fixtures, the
// solutions, the ground that steps stand on, the grader, and Go.
func KitHash(kit *workspace.Kit) (string, error) {
	root := kit.Root
	h := sha256.New()
	field(h, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum", "fixtures", "grader", "reference", "solutions"} {
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || onlyReads(root, path)):
				return fs.SkipDir
			case !d.Type().IsRegular() || strings.HasSuffix(path, "_test.go") || !counts(path):
				return nil
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			field(h, filepath.ToSlash(rel), newline.Unix(string(data)))
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// onlyReads reports whether a folder of the kit decides what is read of a
// submission, of which the submission's own hash tells.
func onlyReads(root, path string) bool {
	return path == filepath.Join(root, "grader", "handin")
}

// counts reports whether a file has a part in grading.
func counts(path string) bool {
	switch filepath.Ext(path) {
	case ".go", ".h", ".s", ".txtar", ".npz", ".json", ".mod", ".sum":
		return true
	}
	return false
}
