// Package scratch makes the temporary folders of this program, and is the only
// one that removes those which killed runs have left behind.
//
// The name of a scratch folder is stubformer-scratch- and sixteen hexadecimal
// digits. It holds a lock, which is held as long as its maker lives, a marker,
// which names the folder and the machine, and the folder files, in which all the
// work is done: who may write there cannot reach the others.
package scratch

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/stubformer/stubformer/grader/host/tree"
	"github.com/stubformer/stubformer/grader/lang"
)

const (
	prefix = "stubformer-scratch-"
	held   = "lock"
	marker = "marker"
	files  = "files"
)

// Stale is the age from which a folder below os.TempDir that nobody holds is
// removed if another machine has made it: its locks may not be seen here.
const Stale = 24 * time.Hour

// Folder is a temporary folder that this process has made.
type Folder struct {
	Path string // of the folder to work in, empty at first

	outer string
	lock  *flock.Flock
}

// New makes a scratch folder below os.TempDir, in which programs can be run. Others
// may pass through it, and neither list it nor read the folder in it.
func New() (*Folder, error) {
	f, err := NewIn(os.TempDir())
	if err != nil {
		return nil, &MachineError{lang.Errorf("programs are built and run below %s, and no folder can be made there: %w; set TMPDIR to one where it can", os.TempDir(), cause(err))}
	}
	if err := runnable(f.Path); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// cause leaves out which folder could not be made: its name says nothing to anybody.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// NewIn makes a scratch folder below root.
func NewIn(root string) (*Folder, error) {
	digits := make([]byte, 8)
	rand.Read(digits) // never fails
	f := folder(filepath.Join(root, prefix+hex.EncodeToString(digits)))
	if err := os.Mkdir(f.outer, 0o711); err != nil {
		return nil, err
	}
	if err := f.fill(); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// folder describes a scratch folder.
func folder(outer string) *Folder {
	return &Folder{Path: filepath.Join(outer, files), outer: outer, lock: flock.New(filepath.Join(outer, held))}
}

// fill makes the folder to work in, and takes the lock before it writes the marker:
// without one no folder is removed.
func (f *Folder) fill() error {
	if err := os.Chmod(f.outer, 0o711); err != nil { // whatever the umask is
		return err
	}
	f.lock.TryLock() // where files cannot be locked Sweep cannot either, and leaves the folder
	text := fmt.Appendf(claim(f.outer), "process %d, since %s, on %s\n", os.Getpid(), time.Now().Format(time.RFC3339), machine())
	if err := os.WriteFile(filepath.Join(f.outer, marker), text, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Mkdir(f.Path, 0o700), os.Chmod(f.Path, 0o700))
}

// claim is how the marker of a folder begins.
func claim(outer string) []byte {
	return fmt.Appendf(nil, "Made by Stubformer, which removes it: %s\n", filepath.Base(outer))
}

// Remove removes the folder and all that is in it. It may be called again. The
// marker goes before the lock, or others would remove the folder at the same time.
func (f *Folder) Remove() error {
	err := errors.Join(tree.RemoveAll(f.Path), tree.RemoveAll(filepath.Join(f.outer, marker)))
	return errors.Join(err, f.lock.Close(), tree.RemoveAll(f.outer))
}

// name matches the names that New gives.
var name = regexp.MustCompile("^" + prefix + "[0-9a-f]{16}$")

// Holds reports whether a path lies in a folder below os.TempDir with the name
// of a scratch folder.
func Holds(path string) bool {
	rel, err := filepath.Rel(os.TempDir(), path)
	first, _, inside := strings.Cut(filepath.ToSlash(rel), "/")
	return err == nil && inside && name.MatchString(first)
}

// Sweep removes the scratch folders below root that killed runs have left behind:
// with a marker that this program wrote for that folder, and a lock that nobody
// holds. If they were not made on this machine since it was started, they must be
// at least as old as given. It leaves alone what it cannot be sure of.
func Sweep(root string, age time.Duration) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		f := folder(filepath.Join(root, e.Name()))
		if name.MatchString(e.Name()) && e.IsDir() && f.claimed(age) && f.abandoned(age) {
			f.Remove()
		}
	}
}

// claimed reports whether a folder has the marker of a scratch folder, and may be
// removed as far as that tells.
func (f *Folder) claimed(age time.Duration) bool {
	path := filepath.Join(f.outer, marker)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<10 {
		return false
	}
	text, err := os.ReadFile(path)
	here := machine() != "" && bytes.HasSuffix(text, fmt.Appendf(nil, ", on %s\n", machine()))
	return err == nil && bytes.HasPrefix(text, claim(f.outer)) && (here || time.Since(info.ModTime()) >= age)
}

// abandoned takes the lock of a claimed folder and reports whether it could. A maker
// that is just removing its folder has taken the marker away before.
func (f *Folder) abandoned(age time.Duration) bool {
	info, err := os.Lstat(f.lock.Path())
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f.lock = flock.New(f.lock.Path(), flock.SetFlag(os.O_RDWR)) // which makes none
	if free, err := f.lock.TryLock(); err != nil || !free {
		return false
	}
	if f.claimed(age) {
		return true
	}
	f.lock.Close()
	return false
}
