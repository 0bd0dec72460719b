//go:build unix

package scratch

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/stubformer/stubformer/grader/lang"
)

// runnable says why a program that is made in a folder could not be run.
func runnable(dir string) error {
	file := filepath.Join(dir, "program")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	defer f.Close()
	if given := mode(f); given&0o700 != 0o700 && f.Chmod(0o700) == nil && mode(f)&0o700 == 0o700 {
		return &MachineError{lang.Errorf("the umask takes permissions from you yourself: a program that is made here has %04o instead of 0700, and cannot be run. Say `umask 022` and try again", given)}
	}
	if unix.Access(file, unix.X_OK) != nil {
		return &MachineError{lang.Errorf("programs are built and run below %s, and nothing may be run there (it is mounted noexec); set TMPDIR to another folder, for example `export TMPDIR=$HOME/tmp`", os.TempDir())}
	}
	return nil
}

// mode returns the permissions of an open file.
func mode(f *os.File) fs.FileMode {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
