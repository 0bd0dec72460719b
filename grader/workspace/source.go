package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Source says whose files stand behind a step. The zero Source is Own.
type Source struct {
	kind   kind
	folder *Folder // of kind handedIn
}

type kind int

const (
	own kind = iota
	solution
	handedIn
	stub
)

// Own is the student's code in the kit: steps/stepNN_x.
func Own() Source { return Source{kind: own} }

// Solutions is the code in solutions/stepNN_x.
func Solutions() Source { return Source{kind: solution} }

// HandedIn is code that was read before; nil says that the step is missing.
func HandedIn(f *Folder) Source { return Source{kind: handedIn, folder: f} }

// Pristine is the stub as it was handed out.
func Pristine() Source { return Source{kind: stub} }

// students reports whether a student wrote the code, so that what is wrong with it
// is theirs to repair.
func (s Source) students() bool { return s.kind == own || s.kind == handedIn }

// read returns the Go files of a step, tests aside, by name, and the path that
// messages call their folder.
func (k *Kit) read(s Source, folder string) (files map[string][]byte, shown string, err error) {
	switch s.kind {
	case stub:
		files, err = k.stub(folder)
		return nonTests(files), k.shown(filepath.Join(k.Root, "steps", folder)), err
	case solution:
		dir := filepath.Join(k.Root, "solutions", folder)
		files, err = readFolder(dir, k.shown(dir))
		return files, k.shown(dir), err
	case handedIn:
		if s.folder == nil {
			return nil, "", &RefusedError{File: "steps/" + folder, Reason: lang.T("there is no such folder in what was handed in")}
		}
		return s.folder.content(), s.folder.Shown, s.folder.err()
	}
	files, err = k.readOwn(folder)
	return files, k.shown(filepath.Join(k.Root, "steps", folder)), err
}

// readOwn reads the student's folder of a step, which may be a link to one.
func (k *Kit) readOwn(folder string) (map[string][]byte, error) {
	dir := filepath.Join(k.Root, "steps", folder)
	if info, err := os.Stat(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	} else if err != nil || !info.IsDir() {
		id, _, _ := strings.Cut(folder, "_")
		return nil, &RefusedError{File: k.shown(dir), Reason: lang.T("there is no such folder; go run ./cmd/grade reset %s makes it anew, with the stub", id)}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return readFolder(real, k.shown(dir))
}

// readFolder reads the Go files of a folder, tests aside.
func readFolder(dir, shown string) (map[string][]byte, error) {
	f, err := ReadFolder(dir, shown)
	if err != nil {
		return nil, err
	}
	return f.content(), f.err()
}

// ReadFolder reads the folder of a step. It follows no symbolic link and opens
// nothing but plain files. Shown is how messages call it.
func ReadFolder(dir, shown string) (*Folder, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Shown: shown}
	if !info.IsDir() {
		f.Refused = &RefusedError{File: shown, Reason: lang.T("%s; want a folder", nature(info.Mode()))}
		return f, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := f.Add(e.Name(), e.Type(), func() (io.ReadCloser, error) { return root.Open(e.Name()) }); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// isSource reports whether a name is that of a Go file that the go command would
// compile, tests aside.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !isTest(name) && name[0] != '_' && name[0] != '.'
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// nonTests returns the files that are not tests.
func nonTests(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		if !isTest(name) {
			out[name] = data
		}
	}
	return out
}

func nature(mode fs.FileMode) lang.Text {
	switch {
	case mode&fs.ModeSymlink != 0:
		return lang.T("it is a symbolic link")
	case mode.IsDir():
		return lang.T("it is a folder")
	}
	return lang.T("it is not a plain file")
}
