package class

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/workspace"
)

// What is read of a submission is bounded: a whole repository is small, and
// what it packs to is not trusted.
const (
	maxEntries  = 20_000
	maxTotal    = 16 << 20  // bytes of Go files
	maxUnpacked = 256 << 20 // bytes of an archive that must be unpacked to be read
)

// refusal is why a whole submission is not graded.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// Read reads a submission: a folder, .zip, .tar or .tar.gz that holds the step
// folders, or steps/, at its top or one level below. Nothing is unpacked to
// disk, no link is followed, and nothing but the Go files of steps is kept.
// What is wrong with the submission stands in it; the error is that of reading.
func Read(name, path string, folders []string) (*Submission, error) {
	c := &collector{folders: map[string]bool{}, groups: map[group]map[string]*workspace.Folder{}}
	for _, f := range folders {
		c.folders[f] = true
	}
	err := c.read(path)
	s := &Submission{Name: name}
	if err == nil {
		s.Folders, err = c.choose()
	}
	var refused *refusal
	if errors.As(err, &refused) {
		return &Submission{Name: name, Refused: refused.reason}, nil
	}
	return s, err
}

func (c *collector) read(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return c.readDir(path, "")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	switch e := strings.ToLower(ending(path)); e {
	case ".zip":
		return c.readZip(f, info.Size())
	case ".tar":
		return c.readTar(f)
	default:
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return refuse("it is not a %s file: %v", e, err)
		}
		return c.readTar(z)
	}
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

func (c *collector) readZip(f *os.File, size int64) error {
	z, err := zip.NewReader(f, size)
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil // add looks at every path
	}
	if err != nil {
		return refuse("it is not a .zip file that can be read: %v", err)
	}
	for _, e := range z.File {
		if err := c.addPacked(e.Name, e.Mode().Type(), func() (io.ReadCloser, error) { return e.Open() }); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) readTar(r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxUnpacked}
	t := tar.NewReader(limited)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case limited.N <= 0:
			return refuse("it unpacks to more than %d MiB", maxUnpacked>>20)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return refuse("it is not a .tar file that can be read: %v", err)
		}
		mode := h.FileInfo().Mode().Type()
		if h.Typeflag == tar.TypeLink {
			mode = fs.ModeIrregular // another name of a file that may lie anywhere
		}
		err = c.addPacked(h.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(t), nil })
		if err != nil && limited.N <= 0 {
			return refuse("it unpacks to more than %d MiB", maxUnpacked>>20)
		}
		if err != nil {
			return err
		}
	}
}

// addPacked adds an entry of an archive, whose path and content are not
// trusted.
func (c *collector) addPacked(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") || len(slashed) > 1 && slashed[1] == ':' {
		return refuse("it holds the absolute path %q", name)
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part == ".." {
			return refuse("it holds the path %q, which leads out of it", name)
		}
	}
	err := c.add(path.Clean(slashed), mode, open)
	var refused *refusal
	if err != nil && !errors.As(err, &refused) {
		return refuse("%q in it cannot be unpacked: %v", name, err)
	}
	return err
}
