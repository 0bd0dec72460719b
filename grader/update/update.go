// Package update brings a newer kit into a student's checkout.
//
// The kit's own files are replaced. A stub that the student has filled in is
// merged: the base is the stub as it was handed out with the old kit, one side
// is what the student wrote, the other the stub of the new kit. Nothing is lost:
// before anything changes, every file that will is copied.
package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/workspace"
)

// How a file of a step fared.
type State int

// The states.
const (
	Renewed  State = iota // the student had not touched it: it is the new one
	Merged                // both had changed it, in different places
	Conflict              // both had changed the same lines; both stand there, between markers
	Beside                // there is no git to merge with: the new one lies beside it
	Removed               // the student had removed it, and it stays so
)

// Change is what happened to one file of a step.
type Change struct {
	File  string // from the root of the kit, with slashes
	State State
}

// Kit brings the kit in the folder from into the checkout of kit. Whatever it
// changes is copied to the folder copies first.
func Kit(ctx context.Context, kit *workspace.Kit, from, copies string) ([]Change, error) {
	newer, err := workspace.Find(from)
	if err != nil {
		return nil, err
	}
	if same(newer.Root, kit.Root) {
		return nil, fmt.Errorf("%s is this kit itself; name the folder of the newer one", from)
	}
	u := &update{ctx: ctx, kit: kit, from: newer.Root, files: map[string][]byte{}}
	if err := u.mergeSteps(newer); err != nil {
		return nil, err
	}
	if err := u.replaceRest(); err != nil {
		return nil, err
	}
	if err := u.keepCopies(copies); err != nil {
		return nil, fmt.Errorf("your files could not be copied, so nothing was changed: %w", err)
	}
	return u.changes, u.carryOut()
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// update is what will be done; until carryOut nothing is.
type update struct {
	ctx     context.Context
	kit     *workspace.Kit
	from    string            // root of the newer kit
	files   map[string][]byte // to be written, by path from the root; nil: to be removed
	changes []Change
}

// set notes that a file is to have the given content, if it has another.
func (u *update) set(name string, data []byte) {
	if have, err := os.ReadFile(u.path(name)); err != nil || string(have) != string(data) {
		u.files[name] = data
	}
}

func (u *update) path(name string) string {
	return filepath.Join(u.kit.Root, filepath.FromSlash(name))
}

// keepCopies copies every file that will be changed or removed.
func (u *update) keepCopies(dir string) error {
	for name := range u.files {
		data, err := os.ReadFile(u.path(name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	return nil
}

// carryOut writes and removes the files: the steps first and the stored stubs
// last. As long as these are the old ones, an update that was interrupted can be
// repeated, since it still knows what the student began with.
func (u *update) carryOut() error {
	rank := func(name string) int {
		switch {
		case strings.HasPrefix(name, "steps/"):
			return 0
		case strings.HasPrefix(name, pristine):
			return 2
		}
		return 1
	}
	var names []string
	for name := range u.files {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if u.files[name] == nil {
			if err := os.Remove(u.path(name)); err != nil {
				return err
			}
			continue
		}
		if err := write(u.path(name), u.files[name]); err != nil {
			return err
		}
	}
	return nil
}

// pristine is where a kit stores its stubs as they are handed out.
const pristine = "grader/workspace/pristine/"

// write replaces a file in one step: a reader sees the old content or the new.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".stubformer-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // does nothing after the rename
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
