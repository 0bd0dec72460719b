package handin

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// opener opens a file of a submission.
type opener = func() (io.ReadCloser, error)

// opens hands out a file that is open, and leaves it so.
func opens(r io.Reader) opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
}

// readDir reads a folder; at is how its path begins in the submission.
func (c *collector) readDir(dir, at string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1) // with one more, there are too many
	if err != nil && err != io.EOF {
		return err
	}
	for _, e := range entries {
		c.look(path.Join(at, e.Name()), e.Type())
	}
	for _, e := range entries {
		if err := c.entry(filepath.Join(dir, e.Name()), path.Join(at, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// entry reads one entry of a folder, and what lies below it.
func (c *collector) entry(file, name string, e fs.DirEntry) error {
	if err := c.add(name, e.Type(), func() (io.ReadCloser, error) { return os.Open(file) }); err != nil {
		return err
	}
	switch {
	case !e.IsDir() || c.aside(name):
		return nil
	case strings.Count(name, "/") >= maxDepth:
		c.note("%s: what lies below %d folders is not looked at", name, maxDepth)
		return nil
	}
	return c.readDir(file, name)
}
