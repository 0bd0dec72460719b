package workspace

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
)

// Stub returns the Go files of a step as they were handed out with this kit, by
// name: the stubs and the binding.
func (k *Kit) Stub(folder string) (map[string][]byte, error) { return k.stub(folder) }

// Outdated reports whether this program was built before the stubs of a step that are
// stored in the kit.
func (k *Kit) Outdated(folder string) (bool, error) {
	built, err := k.stub(folder)
	if err != nil {
		return false, err
	}
	stored, err := k.StubIn(k.Root, folder)
	return !maps.EqualFunc(built, stored, bytes.Equal), err
}

// StubIn returns the same of another kit, from the archives in its checkout; without
// the derivatives if this one leaves them out.
func (k *Kit) StubIn(root, folder string) (map[string][]byte, error) {
	files, err := readArchive(os.DirFS(filepath.Join(root, "grader", "workspace", "pristine")), folder)
	if k.Derives() {
		files = withoutDerivatives(files)
	}
	return files, err
}
