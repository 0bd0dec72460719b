// Package whole writes files whole: whoever reads one sees the old content or the
// new, never half of it. On Windows a file that is being read cannot be replaced, and is
// written to as it is.
package whole

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stubformer/stubformer/grader/lang"
)

// Write writes data to a file as Replace does.
func Write(path string, data []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Replace puts what write writes into the place of a file, in one step and with
// the old file's permissions. Links stay, and the file behind them changes. What
// has no old content (a device, a pipe, the program's own output) is written to as
// it is; so is a file that cannot be replaced where it lies, for which write is
// called again.
func Replace(path string, write func(io.Writer) error) error {
	old, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return replace(path, behind(path), write, nil)
	}
	if err != nil {
		return failed(path, path, err)
	}
	for _, own := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := own.Stat(); err == nil && os.SameFile(info, old) {
			return failed(path, own.Name(), write(own))
		}
	}
	file := behind(path)
	if found, err := os.Stat(file); err != nil || !os.SameFile(found, old) || !old.Mode().IsRegular() {
		return through(path, old, write)
	}
	err = replace(path, file, write, old)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EBUSY) {
		return through(path, old, write) // its folder takes no new file, or it is mounted alone
	}
	return err
}

// maxLinks is how many links may stand one behind the other, as in Linux.
const maxLinks = 40

// behind follows links to the file that they stand for, which need not be there.
// The folders on the way are left to the system: a path with links in it must not
// be tidied up.
func behind(path string) string {
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if folder, _ := filepath.Split(path); !filepath.IsAbs(target) {
			target = folder + target
		}
		path = target
	}
	return path
}

// through writes to what is there. A pipe that nobody reads is an error, since
// waiting for a reader could not be interrupted.
func through(path string, old fs.FileInfo, write func(io.Writer) error) error {
	flags, pipe := os.O_WRONLY|os.O_TRUNC, old.Mode()&fs.ModeNamedPipe != 0
	if pipe {
		flags |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(path, flags, 0)
	if pipe && errors.Is(err, syscall.ENXIO) {
		return lang.Errorf("cannot write %s: it is a pipe, and nobody reads from it; start the reader first", path)
	}
	if err != nil {
		return failed(path, path, err)
	}
	return failed(path, path, errors.Join(write(f), f.Close()))
}

// replace writes a new file beside the old one and gives it its name. Where there
// is no old one it has the permissions that the user's umask leaves.
func replace(path, file string, write func(io.Writer) error, old fs.FileInfo) error {
	folder, _ := filepath.Split(file)
	beside := folder + ".stubformer-" + rand.Text()
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return failed(path, beside, err)
	}
	defer os.Remove(beside) // does nothing after the rename
	err = write(f)
	if old != nil {
		err = errors.Join(err, f.Chmod(old.Mode().Perm()))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return failed(path, beside, err)
	}
	return failed(path, beside, os.Rename(beside, file))
}

// failed names the file that was asked for where an error speaks of the one that
// was opened for it. Others stay as they are.
func failed(path, opened string, err error) error {
	var file *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &file) && file.Path == opened:
		return lang.Errorf("cannot write %s: %w", path, file.Err)
	case errors.As(err, &renamed) && renamed.Old == opened:
		return lang.Errorf("cannot write %s: %w", path, renamed.Err)
	}
	return err
}
