package class

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/stubformer/stubformer/grader/untrusted"
	"github.com/stubformer/stubformer/grader/workspace"
)

// What is read of a submission is bounded: a whole repository is small, and
// what it packs to is not trusted.
const (
	maxEntries  = 20_000
	maxTotal    = 16 << 20  // bytes of Go files
	maxUnpacked = 256 << 20 // bytes of an archive, packed and as far as it must be unpacked to be read
)

// refusal is why a whole submission is not graded.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// Read reads a submission: a folder or an archive that holds the step folders,
// or steps/, at its top or one level below. Nothing is unpacked to disk, no link
// is followed, and nothing but the Go files of steps is kept. What is wrong with
// the submission stands in it; the error is that of this machine.
func Read(name, path string, folders []string) (s *Submission, err error) {
	defer func() {
		if s != nil {
			s.Refused = untrusted.Line(s.Refused, untrusted.MaxArg)
		}
	}()
	defer func() {
		if p := recover(); p != nil { // an archive that its library was not ready for
			s, err = &Submission{Name: name, Refused: fmt.Sprintf("it cannot be read: %v", p)}, nil
		}
	}()
	c := &collector{folders: map[string]bool{}, groups: map[group]map[string]*workspace.Folder{}}
	for _, f := range folders {
		c.folders[f] = true
	}
	s = &Submission{Name: name}
	if err = c.read(path); err == nil {
		s.Folders, err = c.choose()
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return &Submission{Name: name, Refused: refused.reason}, nil
	case madeSo(err):
		return &Submission{Name: name, Refused: fmt.Sprintf("it cannot be read: %v", err)}, nil
	}
	return s, err
}

// madeSo reports whether an error of reading comes from how the submission was
// made (a link to nowhere, no permission, a name too long) and not from this
// machine.
func madeSo(err error) bool {
	for _, cause := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.ENOTDIR} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

func (c *collector) read(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return c.readDir(path, "")
	}
	if !info.Mode().IsRegular() { // to open a pipe is to wait for its writer
		return refuse("it is neither a folder nor a plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.readArchive(f, info.Size(), strings.ToLower(ending(path, archives)))
}

// readDir reads the folder below at of a submission, as deep as steps can lie.
func (c *collector) readDir(root, at string) error {
	dir, err := os.Open(filepath.Join(root, filepath.FromSlash(at)))
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(1000)
		for _, e := range entries {
			name := path.Join(at, e.Name())
			open := func() (io.ReadCloser, error) { return os.Open(filepath.Join(root, filepath.FromSlash(name))) }
			if err := c.add(name, e.Type(), open); err != nil {
				return err
			}
			if e.IsDir() && c.leads(name) {
				if err := c.readDir(root, name); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
