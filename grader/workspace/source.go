package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// What is read from a step folder is bounded: a step is a few small files.
const (
	maxFiles    = 100
	maxFileSize = 1 << 20 // bytes
)

// Source says whose files stand behind a step. The zero Source is Own.
type Source struct {
	kind kind
	dir  string // of kind submission
}

type kind int

const (
	own kind = iota
	solution
	submission
	stub
)

// Own is the student's code in the kit: steps/stepNN_x.
func Own() Source { return Source{kind: own} }

// Solutions is the code in solutions/stepNN_x.
func Solutions() Source { return Source{kind: solution} }

// Dir is the code in path/stepNN_x or, if there is no such folder, in
// path/steps/stepNN_x.
func Dir(path string) Source { return Source{kind: submission, dir: path} }

// Pristine is the stub as it was handed out.
func Pristine() Source { return Source{kind: stub} }

// students says whether a student wrote the code, so that what is wrong with it
// is theirs to repair.
func (s Source) students() bool { return s.kind == own || s.kind == submission }

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
	case submission:
		dir, err := submitted(s.dir, folder)
		if err != nil {
			return nil, "", err
		}
		files, err = readFolder(dir, dir)
		return files, dir, err
	}
	dir := filepath.Join(k.Root, "steps", folder)
	files, err = readFolder(dir, k.shown(dir))
	return files, k.shown(dir), err
}

// submitted finds the folder of a step below dir.
func submitted(dir, folder string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for _, path := range []string{filepath.Join(dir, folder), filepath.Join(dir, "steps", folder)} {
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		}
	}
	return "", &RefusedError{File: dir, Reason: fmt.Sprintf("there is no folder %s in it, nor steps/%s", folder, folder)}
}

// sourceName is what a file may be called: letters, digits, and the few other
// characters that a copy in a file manager adds.
var sourceName = regexp.MustCompile(`^[\pL\pN][\pL\pN_. ()-]*\.go$`)

// readFolder reads the Go files of a folder, tests aside. It follows no
// symbolic link and opens nothing but plain files.
func readFolder(dir, shown string) (map[string][]byte, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &RefusedError{File: shown, Reason: "it " + nature(info.Mode()) + "; want a folder"}
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
	files, lower := map[string][]byte{}, map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !isSource(name) {
			continue
		}
		twin := lower[strings.ToLower(name)]
		refuse := func(reason string) (map[string][]byte, error) {
			return nil, &RefusedError{File: filepath.Join(shown, name), Reason: reason}
		}
		switch {
		case !sourceName.MatchString(name):
			return refuse(fmt.Sprintf("a file cannot be called %q; use letters, digits and underscores", name))
		case !e.Type().IsRegular():
			return refuse("it " + nature(e.Type()) + "; only plain files are read")
		case twin != "":
			return refuse(fmt.Sprintf("%s is there too, and some systems cannot tell the two names apart", twin))
		case len(files) == maxFiles:
			return nil, &RefusedError{File: shown, Reason: fmt.Sprintf("it holds more than %d Go files", maxFiles)}
		}
		data, err := readFile(root, name)
		if errors.Is(err, errTooLarge) {
			return refuse(err.Error())
		}
		if err != nil {
			return nil, err
		}
		files[name], lower[strings.ToLower(name)] = data, name
	}
	if len(files) == 0 {
		return nil, &RefusedError{File: shown, Reason: "it holds no Go files"}
	}
	return files, nil
}

// errTooLarge says that a file is larger than maxFileSize.
var errTooLarge = fmt.Errorf("it is larger than %d KiB", maxFileSize>>10)

// readFile reads a file of bounded size and gives it Unix line ends.
func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = errTooLarge
	}
	return unixLines(data), err
}

// unixLines turns the line ends that Git writes on Windows into Unix ones.
func unixLines(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// isSource says whether a name is that of a Go file that the go command would
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

func nature(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case mode.IsDir():
		return "is a folder"
	}
	return "is not a plain file"
}
