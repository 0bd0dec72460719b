// Package scratch makes the temporary folders of this program, and is the only
// one that removes those which killed runs have left behind.
//
// The name of a scratch folder is stubformer-scratch- and sixteen hexadecimal
// digits. It holds a marker, which names the folder and is locked
// as long as its maker lives, and the folder files, in which all the work is
// done: who may write there cannot reach the marker.
package scratch

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/stubformer/stubformer/grader/host/tree"
)

const (
	prefix = "stubformer-scratch-"
	marker = "marker"
	files  = "files"
)

// Stale is the age from which a folder below os.TempDir that nobody holds is
// removed: other machines, whose locks are not seen, may share that folder.
const Stale = 24 * time.Hour

// Folder is a temporary folder that this process has made.
type Folder struct {
	Path string // of the folder to work in, empty at first

	outer string
	lock  *flock.Flock
}

// New makes a scratch folder below os.TempDir. Others may pass through it, and
// neither list it nor read the folder in it.
func New() (*Folder, error) { return NewIn(os.TempDir()) }

// NewIn makes a scratch folder below root.
func NewIn(root string) (*Folder, error) {
	digits := make([]byte, 8)
	rand.Read(digits) // never fails
	outer := filepath.Join(root, prefix+hex.EncodeToString(digits))
	if err := os.Mkdir(outer, 0o711); err != nil {
		return nil, err
	}
	f := &Folder{Path: filepath.Join(outer, files), outer: outer, lock: flock.New(filepath.Join(outer, marker))}
	if err := f.fill(); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// fill writes the marker and makes the folder to work in.
func (f *Folder) fill() error {
	if err := os.Chmod(f.outer, 0o711); err != nil { // whatever the umask is
		return err
	}
	text := fmt.Appendf(claim(f.outer), "process %d, since %s\n", os.Getpid(), time.Now().Format(time.RFC3339))
	if err := os.WriteFile(f.lock.Path(), text, 0o600); err != nil {
		return err
	}
	f.lock.TryLock() // where files cannot be locked Sweep cannot either, and leaves the folder
	return os.Mkdir(f.Path, 0o700)
}

// claim is how the marker of a folder begins.
func claim(outer string) []byte {
	return fmt.Appendf(nil, "Made by Stubformer, which removes it: %s\n", filepath.Base(outer))
}

// Remove removes the folder and all that is in it. It may be called again.
func (f *Folder) Remove() error {
	return errors.Join(f.lock.Close(), tree.RemoveAll(f.outer))
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

// Sweep removes the scratch folders below root that killed runs have left
// behind: with a marker that this program wrote for that folder, that nobody
// holds, and at least as old as given. It leaves alone what it cannot be sure of.
func Sweep(root string, age time.Duration) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		outer := filepath.Join(root, e.Name())
		if name.MatchString(e.Name()) && e.IsDir() && abandoned(outer, age) {
			tree.RemoveAll(outer)
		}
	}
}

// abandoned reports whether a folder is a scratch folder whose maker is dead.
func abandoned(outer string, age time.Duration) bool {
	path := filepath.Join(outer, marker)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<10 || time.Since(info.ModTime()) < age {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, claim(outer)) {
		return false
	}
	lock := flock.New(path)
	defer lock.Close()
	free, err := lock.TryLock()
	return err == nil && free
}
