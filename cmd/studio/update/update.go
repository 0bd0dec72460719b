// Package update brings a newer kit into a student's checkout.
//
// The kit's own files are replaced. A stub that the student has filled in is
// merged: the base is the stub as it was handed out with the old kit, one side
// is what the student wrote, the other the stub of the new kit. Nothing is lost:
// before anything changes, every file that will is copied; a file that is saved
// meanwhile stays as it was saved; and nothing is removed but what the old kit
// was handed out with, byte for byte.
package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/workspace"
)

// State says how a file fared.
type State int

// The states. Those from Stays on are of files outside the steps' code.
const (
	Renewed  State = iota // the student had not touched it: it is the new one
	Merged                // both had changed it, in different places
	Conflict              // both had changed the same lines; both stand there, between markers
	Beside                // there is no git to merge with: the new one lies beside it
	Removed               // the student had removed it, and it stays so
	Stays                 // the newer kit has no such file, and it may be the student's own: it stays
	Replaced              // the student had changed a file of the kit: it is the new one
)

// Change is what happens to one file.
type Change struct {
	File  string // from the root of the kit, with slashes
	State State
}

// Update is what will be done; until CarryOut nothing is.
type Update struct {
	Changes     []Change
	Interrupted bool // an update was interrupted before this one, which begins it again

	kit     *workspace.Kit
	from    string // root of the newer kit
	copies  string
	journal journal
	shipped map[string]string // sums of the files that this kit was handed out with
	now     map[string]file   // what was read
	files   map[string]wanted // what is to be written or removed, by path from the root
	lock    *flock.Flock
}

// wanted is what a file is to become, and what it was before.
type wanted struct {
	file
	was  file
	base string
}

// Plan decides how the kit in the folder from comes into the checkout of kit.
// Whatever that changes is copied to the folder copies first. The caller closes
// the update.
func Plan(ctx context.Context, kit *workspace.Kit, from, copies string) (*Update, error) {
	newer, err := workspace.Find(from)
	if err != nil {
		return nil, err
	}
	if same(newer.Root, kit.Root) {
		return nil, fmt.Errorf("%s is this kit itself; name the folder of the newer one", from)
	}
	u := &Update{kit: kit, from: newer.Root, copies: copies, now: map[string]file{}, files: map[string]wanted{}}
	if err := u.begin(); err != nil {
		return nil, err
	}
	err = u.mergeSteps(ctx, newer)
	if err == nil {
		err = u.replaceRest()
	}
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	u.recall()
	return u, nil
}

// begin makes sure that no other update is under way, and reads what one that
// was interrupted has left.
func (u *Update) begin() error {
	if err := os.MkdirAll(u.own(), 0o755); err != nil {
		return err
	}
	u.lock = flock.New(u.own(lockFile))
	if free, err := u.lock.TryLock(); err != nil || !free {
		return errors.Join(err, fmt.Errorf("another update of %s is under way; wait until it has ended", u.kit.Root))
	}
	scratch.Sweep(u.own(), 0)
	var err error
	if u.journal, err = readJournal(u.own(journalFile)); err != nil {
		return errors.Join(err, u.Close())
	}
	u.Interrupted = u.journal.interrupted()
	manifest, err := u.original(ManifestFile, nil)
	if err != nil {
		return errors.Join(err, u.Close())
	}
	u.shipped = parseManifest(manifest.data)
	return nil
}

// Close lets others update the kit.
func (u *Update) Close() error { return u.lock.Close() }

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// own is a path in the kit's folder for what this program keeps.
func (u *Update) own(name ...string) string {
	return filepath.Join(append([]string{u.kit.Root, ".stubformer"}, name...)...)
}

func (u *Update) path(name string) string {
	return filepath.Join(u.kit.Root, filepath.FromSlash(name))
}

// original returns a file of the kit as it was before any update that was
// interrupted.
func (u *Update) original(name string, base []byte) (file, error) {
	now, err := read(u.path(name))
	u.now[name] = now
	return u.journal.original(name, now, base), err
}

// set notes what a file is to become.
func (u *Update) set(name string, was, becomes file, base []byte) {
	if !was.like(becomes) {
		u.files[name] = wanted{becomes, was, (file{base, 0, base != nil}).sum()}
	}
}

func (u *Update) note(name string, s State) { u.Changes = append(u.Changes, Change{name, s}) }

// recall adds what an update that was interrupted has done and this one need not
// do again.
func (u *Update) recall() {
	for _, c := range u.journal.Changes {
		known := slices.ContainsFunc(u.Changes, func(d Change) bool { return d.File == c.File })
		if now, err := read(u.path(c.File)); err == nil && !known && now.sum() == u.journal.Files[c.File].After {
			u.Changes = append(u.Changes, c)
		}
	}
}
