package workspace

import (
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/reference/newline"
)

// What is read from a step folder is bounded: a step is a few small files.
const (
	maxFiles    = 100
	maxFileSize = 1 << 20 // bytes
	maxName     = 100     // bytes of a file's name
)

// Folder holds the Go files of one step, tests aside, and the first reason why
// they are not to be built, if there is one. It is filled file by file, from
// wherever the files come.
type Folder struct {
	Shown   string            // how messages call it
	Files   map[string][]byte // by name, with Unix line ends
	Refused *RefusedError     // nil if there is nothing wrong so far

	lower map[string]string // names by their lower-case form
	alike []string          // names of files that may have been meant as Go files
}

// Add takes a file or leaves it, as its name and its kind say; open is called
// only for a file that is taken. Its error is that of reading.
func (f *Folder) Add(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if !isSource(name) || f.Refused != nil {
		if mode.IsRegular() && !isTest(name) && almostSource.MatchString(name) && len(f.alike) < maxFiles {
			f.alike = append(f.alike, untrusted.Line(name, untrusted.MaxName))
		}
		return nil
	}
	if f.Files == nil {
		f.Files, f.lower = map[string][]byte{}, map[string]string{}
	}
	twin := f.lower[strings.ToLower(name)]
	switch {
	case conflicting.MatchString(name):
		return f.refuse(name, lang.T("it is one of two versions, for which a program that keeps folders alike made a copy; "+
			"keep one of them, under the name of the stub's file"))
	case !sourceName.MatchString(name):
		return f.refuse(name, lang.T("a file cannot be called %q; use letters, digits and underscores", name))
	case len(name) > maxName:
		return f.refuse(name[:maxName], lang.T("its name is longer than %d bytes", maxName))
	case !mode.IsRegular():
		return f.refuse(name, lang.T("%s; only plain files are read", nature(mode)))
	case twin != "" && twin != name:
		return f.refuse(name, lang.T("%s is there too, and some systems cannot tell the two names apart", twin))
	case len(f.Files) == maxFiles:
		f.Refused = &RefusedError{File: f.Shown, Reason: lang.T("it holds more than %d Go files", maxFiles)}
		return nil
	}
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err != nil {
		return err
	}
	if len(data) > maxFileSize {
		return f.refuse(name, lang.T("it is larger than %d KiB", maxFileSize>>10))
	}
	f.Files[name], f.lower[strings.ToLower(name)] = newline.Unix(data), name
	return nil
}

func (f *Folder) refuse(name string, reason lang.Text) error {
	f.Refused = &RefusedError{File: filepath.Join(f.Shown, strings.ToValidUTF8(name, "?")), Reason: reason}
	return nil
}

// content returns a copy of the files that can be changed.
func (f *Folder) content() map[string][]byte { return maps.Clone(f.Files) }

// err says why the folder is not to be built; nil if it is.
func (f *Folder) err() error {
	if why := f.Wanting(); why != nil {
		return why
	}
	return nil
}

// Wanting says why the folder is not to be built, with what it holds instead of Go
// files; nil if it is.
func (f *Folder) Wanting() *RefusedError {
	switch {
	case f.Refused != nil:
		return f.Refused
	case len(f.Files) == 0 && len(f.alike) > 0:
		slices.Sort(f.alike)
		return &RefusedError{File: f.Shown, Reason: lang.T("it holds no Go files, and %s looks like one: its name must end in .go, in small letters", f.alike[0])}
	case len(f.Files) == 0:
		return &RefusedError{File: f.Shown, Reason: lang.T("it holds no Go files")}
	}
	return nil
}

// almostSource matches the names of files that may have been meant as Go files:
// INIT.GO, init.go.txt, init.go~.
var almostSource = regexp.MustCompile(`^[^._].*\.(?i:go)([. ~].*)?$`)

// conflicting matches the names of the copies that Dropbox, Nextcloud and Syncthing make
// of a file that was changed in two places.
var conflicting = regexp.MustCompile(`(?i)\(.*conflicted copy.*\)|\.sync-conflict-`)

// sourceName is what a file may be called: letters, digits, and the few other
// characters that a copy in a file manager adds.
var sourceName = regexp.MustCompile(`^[\pL\pN][\pL\pN_. ()-]*\.go$`)
