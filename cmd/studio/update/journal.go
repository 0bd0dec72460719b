package update

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// journal is what an update writes down before it changes anything, and removes
// when it is done. An update that was interrupted is repeated as if it had not
// begun: what it wrote counts as what was there before.
type journal struct {
	Copies  string           `json:"copies"` // folder of the files as they were
	Files   map[string]entry `json:"files"`
	Changes []Change         `json:"changes"`
}

// entry is one file of an update: the sums of its content, "" for no file.
type entry struct {
	Base   string `json:"base,omitempty"` // the stub that the student began with
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// journalFile and lockFile lie in the kit's folder .stubformer.
const (
	journalFile = "update.json"
	lockFile    = "update.lock"
)

// readJournal returns the journal of an update that was interrupted; an empty
// one if there is none, or if it was not written to its end: then nothing had
// been changed yet.
func readJournal(path string) (journal, error) {
	var j journal
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil && json.Unmarshal(data, &j) != nil {
		return journal{}, nil
	}
	return j, err
}

// interrupted reports whether an update was interrupted before this one.
func (j journal) interrupted() bool { return len(j.Files) > 0 }

// original returns a file as it was before the update that was interrupted,
// given what it is now. base is the stub that the student began with, as far as
// this program knows.
func (j journal) original(name string, now file, base []byte) file {
	e, ok := j.Files[name]
	if !ok || now.sum() != e.After || (file{base, 0, base != nil}).sum() != e.Base {
		return now
	}
	was, err := read(filepath.Join(j.Copies, filepath.FromSlash(name)))
	if err != nil || was.sum() != e.Before {
		return now
	}
	return was
}

// file is a file, or that there is none.
type file struct {
	data  []byte
	mode  fs.FileMode
	there bool
}

// read reads a file of whatever kind the name leads to.
func read(path string) (file, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, nil
	}
	if err != nil {
		return file{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return file{}, err
	}
	return file{data, info.Mode().Perm(), true}, nil
}

// sum is what a file's content is known by; "" for no file.
func (f file) sum() string {
	if !f.there {
		return ""
	}
	return sum(f.data)
}

// like reports whether two files have the same content, and both or neither can
// be executed.
func (f file) like(g file) bool { return f.sum() == g.sum() && f.mode&0o111 == g.mode&0o111 }

// permissions are those that a file gets: its owner may always change it.
func (f file) permissions() fs.FileMode { return f.mode | 0o600 }
