// Package tree removes folders that somebody else's program has filled.
package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// RemoveAll removes a folder with all that is in it, as os.RemoveAll does, also
// where that gives up: a folder may be nested deeper than a path or the open
// files of a process can reach, and its permissions may be gone. It follows no
// link, and needs two open files and no recursion, however deep the tree is. What is
// still in use it tries again, as busy says.
func RemoveAll(dir string) error {
	err := removeAll(dir)
	for pause := time.Millisecond; busy(err) && pause < patience; pause *= 2 {
		time.Sleep(pause)
		err = removeAll(dir)
	}
	return err
}

// patience is how long the last pause is at most, and all pauses together.
const patience = 4 * time.Second

func removeAll(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrPermission) {
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
		root, err = os.OpenRoot(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return os.RemoveAll(dir) // it is no folder
	}
	f := &flattener{root: root}
	// As long as it is open Windows does not remove it.
	if err := errors.Join(root.Chmod(".", 0o700), f.empty(), root.Close()); err != nil {
		return fmt.Errorf("%s cannot be removed: %w", dir, err)
	}
	return os.Remove(dir)
}

// flattener empties a folder by moving what lies deeper up to it.
type flattener struct {
	root  *os.Root
	moved int
}

// empty removes what is in the folder until nothing is.
func (f *flattener) empty() error {
	for {
		left := false
		err := f.each(".", func(name string, dir bool) error {
			left = true
			if !dir {
				return f.root.Remove(name)
			}
			return f.drain(name)
		})
		if err != nil || !left {
			return err
		}
	}
}

// drain removes a folder of the root. The folders in it move up to the root.
func (f *flattener) drain(folder string) error {
	if err := f.root.Chmod(folder, 0o700); err != nil {
		return err
	}
	err := f.each(folder, func(name string, dir bool) error {
		at := path.Join(folder, name)
		if !dir {
			return f.root.Remove(at)
		}
		// Who moves a folder writes into it: its way up changes.
		return errors.Join(f.root.Chmod(at, 0o700), f.rise(at))
	})
	if err != nil {
		return err
	}
	return f.root.Remove(folder)
}

// rise moves a folder up to the root, under a name that is free there.
func (f *flattener) rise(at string) error {
	for {
		f.moved++
		to := fmt.Sprintf("removed-%d", f.moved)
		if _, err := f.root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return f.root.Rename(at, to)
		}
	}
}

// each calls do for the entries of a folder, some at a time.
func (f *flattener) each(folder string, do func(name string, dir bool) error) error {
	for {
		d, err := f.root.Open(folder)
		if err != nil {
			return err
		}
		entries, err := d.ReadDir(1000) // opened anew each time, for what is removed shifts the rest
		d.Close()
		if len(entries) == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
		for _, e := range entries {
			if err := do(e.Name(), e.IsDir()); err != nil {
				return err
			}
		}
		if folder == "." {
			return nil // what has risen comes in the next round
		}
	}
}
