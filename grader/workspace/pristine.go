package workspace

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/newline"
)

// embedded holds the stubs and bindings as they were handed out, so that they
// are there when the student has edited theirs. WritePristine writes them.
//
//go:embed pristine/*.txtar
var embedded embed.FS

// stub returns the Go files of a step as they were handed out, by name: the
// stubs and the binding.
func (k *Kit) stub(folder string) (map[string][]byte, error) {
	files, err := readArchive(k.pristine, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("%s has no stored stub; run: go run ./cmd/grade dev pristine", folder)
	}
	if k.Derives() {
		files = withoutDerivatives(files)
	}
	return files, err
}

func readArchive(stubs fs.FS, folder string) (map[string][]byte, error) {
	data, err := fs.ReadFile(stubs, folder+".txtar")
	if err != nil {
		return nil, err
	}
	return unpack(newline.Unix(data)), nil
}

// StubFiles returns the names of the files of a step that a student fills in,
// in order.
func (k *Kit) StubFiles(folder string) ([]string, error) {
	files, err := k.stub(folder)
	return slices.Sorted(maps.Keys(nonTests(files))), err
}

// StubNames returns the names of the files that a student fills in, as StubFiles
// does, of this program's own course; none for a folder that it has not.
func StubNames(folder string) []string {
	files, err := readArchive(embedded, "pristine/"+folder)
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(nonTests(files)))
}

// Untouched reports whether the student's folder of a step still holds the stub
// and the binding as they were handed out, and no Go file beside them. Tests of
// the student's own do not count.
func (k *Kit) Untouched(folder string) bool {
	changed, err := k.Changed(folder)
	return err == nil && len(changed) == 0
}

// Changed lists the files of steps that are not as they are handed out, by their
// paths in the kit. Tests that somebody added do not count.
func (k *Kit) Changed(folders ...string) ([]string, error) {
	var changed []string
	for _, folder := range folders {
		want, err := k.stub(folder)
		if err != nil {
			return nil, err
		}
		have, err := goFiles(filepath.Join(k.Root, "steps", folder))
		if err != nil {
			return nil, err
		}
		for name := range have {
			if want[name] == nil && !isTest(name) {
				changed = append(changed, "steps/"+folder+"/"+name)
			}
		}
		for name, data := range want {
			if now, ok := have[name]; !ok || !bytes.Equal(now, data) {
				changed = append(changed, "steps/"+folder+"/"+name)
			}
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// Reset puts the stub and the binding of a step back, after it has copied the
// whole folder to backup, which must not hold a copy yet. Go files that the
// student added are removed, so that the stub compiles; their tests, the lesson
// and other files stay. A folder that is missing is made; what stands in its place
// is moved to backup.
func (k *Kit) Reset(folder, backup string) error {
	want, err := k.stub(folder)
	if err != nil {
		return err
	}
	dir := filepath.Join(k.Root, "steps", folder)
	if err := secure(dir, backup); err != nil {
		return lang.Errorf("your files could not be copied, so nothing was changed: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range want {
		if err := copied(dir, backup, name); err != nil {
			return err
		}
		if err := whole.Write(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if want[e.Name()] == nil && isSource(e.Name()) && !e.IsDir() {
			rerr := copied(dir, backup, e.Name())
			if rerr == nil {
				rerr = os.Remove(filepath.Join(dir, e.Name()))
			}
			err = errors.Join(err, rerr)
		}
	}
	return err
}

// secure copies a folder to backup. What has its name and is none, a file or a link that
// leads nowhere, is moved there.
func secure(dir, backup string) error {
	if isFolder(dir) {
		return os.CopyFS(backup, os.DirFS(dir))
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(backup, 0o755); err != nil {
		return err
	}
	return os.Rename(dir, filepath.Join(backup, filepath.Base(dir)))
}

// copied returns an error if a file in dir is not as it is in backup: somebody
// has saved it since it was copied.
func copied(dir, backup, name string) error {
	now, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(filepath.Join(backup, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !bytes.Equal(now, kept) {
		return lang.Errorf("%s was saved just now and is as you saved it; run the same command again", filepath.Join(dir, name))
	}
	return nil
}

// WritePristine stores the Go files of every step of the kit in root as the
// ones that are handed out. They take effect when the grader is built again.
func WritePristine(root string) error {
	if derives(root) {
		return lang.Errorf("the stubs here leave the derivatives out; bring them back first: go run ./cmd/grade derive off")
	}
	folders, err := stepFolders(root)
	if err != nil {
		return err
	}
	store := filepath.Join(root, "grader", "workspace", "pristine")
	if err := os.MkdirAll(store, 0o755); err != nil {
		return err
	}
	for _, folder := range folders {
		data, err := archive(filepath.Join(root, "steps", folder), folder)
		if err != nil {
			return err
		}
		if err := whole.Write(filepath.Join(store, folder+".txtar"), data); err != nil {
			return err
		}
	}
	return eachStale(store, folders, os.Remove)
}

// archive returns the Go files of a step folder as a txtar archive.
func archive(dir, folder string) ([]byte, error) {
	files, err := goFiles(dir)
	if err != nil {
		return nil, err
	}
	data, ok := pack("The Go files of steps/"+folder+" as they are handed out.\nWritten by: go run ./cmd/grade dev pristine\n\n", files)
	if !ok {
		return nil, lang.Errorf("steps/%s cannot be stored: a Go file does not end in a line end, or has a line like \"-- name --\"", folder)
	}
	return data, nil
}

// CheckPristine compares the steps of the kit in root with their stored stubs
// and bindings. Its error lists the differences.
func CheckPristine(root string) error {
	folders, err := stepFolders(root)
	if err != nil {
		return err
	}
	store := filepath.Join(root, "grader", "workspace", "pristine")
	var differences []string
	for _, folder := range folders {
		stored, err := readArchive(os.DirFS(store), folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		files, err := goFiles(filepath.Join(root, "steps", folder))
		if err != nil {
			return err
		}
		for name, data := range files {
			if want, ok := stored[name]; !ok || !bytes.Equal(data, want) {
				differences = append(differences, "steps/"+folder+"/"+name)
			}
			delete(stored, name)
		}
		for name := range stored {
			differences = append(differences, "steps/"+folder+"/"+name)
		}
	}
	err = eachStale(store, folders, func(path string) error {
		differences = append(differences, "steps/"+strings.TrimSuffix(filepath.Base(path), ".txtar"))
		return nil
	})
	if err != nil || len(differences) == 0 {
		return err
	}
	slices.Sort(differences)
	return lang.Errorf("these differ from what is stored as handed out (run: go run ./cmd/grade dev pristine):\n  %s", strings.Join(differences, "\n  "))
}

// eachStale calls f with the path of each stored archive that belongs to no folder.
func eachStale(store string, folders []string, f func(path string) error) error {
	stored, err := os.ReadDir(store)
	for _, e := range stored {
		if folder, ok := strings.CutSuffix(e.Name(), ".txtar"); ok && !slices.Contains(folders, folder) {
			err = errors.Join(err, f(filepath.Join(store, e.Name())))
		}
	}
	return err
}

// goFiles returns the Go files of a folder, tests included, with Unix line ends.
func goFiles(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if !isSource(e.Name()) && !isTest(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files[e.Name()] = newline.Unix(data)
	}
	return files, nil
}
