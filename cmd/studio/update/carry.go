package update

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
)

// SavedError says that somebody has saved a file while the update ran. It is as
// it was saved.
type SavedError struct{ File string }

func (e *SavedError) Error() string {
	return fmt.Sprintf("%s was saved while the update ran; it is as you saved it. The update is not complete: run the same command again", e.File)
}

// CarryOut copies every file that will be changed, writes all new ones beside
// the kit, and then puts them in their places, the steps first and the stored
// stubs last. As long as these are the old ones, an update that was interrupted
// can be repeated, since it still knows what the student began with.
func (u *Update) CarryOut() error {
	stage, err := u.prepare()
	if err != nil {
		return err
	}
	defer stage.Remove()
	for _, name := range u.order() {
		if err := u.settle(name, stage); err != nil {
			return err
		}
	}
	return os.Remove(u.own(journalFile))
}

// prepare does all that comes before the first change.
func (u *Update) prepare() (*scratch.Folder, error) {
	if err := u.keepCopies(); err != nil {
		return nil, fmt.Errorf("your files could not be copied, so nothing was changed: %w", err)
	}
	stage, err := scratch.NewIn(u.own())
	if err != nil {
		return nil, err
	}
	for name, w := range u.files {
		if err == nil {
			err = write(staged(stage, name), w.file)
		}
	}
	if err == nil {
		err = u.writeJournal(stage)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the new files could not be written, so nothing was changed: %w", err), stage.Remove())
	}
	return stage, nil
}

// staged is where a new file waits.
func staged(stage *scratch.Folder, name string) string {
	return filepath.Join(stage.Path, "kit", filepath.FromSlash(name))
}

// keepCopies copies every file that will be changed or removed, as it was before
// any update that was interrupted.
func (u *Update) keepCopies() error {
	for name, w := range u.files {
		if err := write(filepath.Join(u.copies, filepath.FromSlash(name)), w.was); err != nil {
			return err
		}
	}
	return nil
}

// writeJournal writes down what will be done.
func (u *Update) writeJournal(stage *scratch.Folder) error {
	j := journal{Copies: u.copies, Files: map[string]entry{}, Changes: u.Changes}
	for name, w := range u.files {
		j.Files[name] = entry{w.base, w.was.sum(), w.file.sum()}
	}
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	written := filepath.Join(stage.Path, journalFile)
	if err := write(written, file{data, 0o644, true}); err != nil {
		return err
	}
	return os.Rename(written, u.own(journalFile))
}

// order returns the names of the files in the order in which they change.
func (u *Update) order() []string {
	rank := func(name string) int {
		switch {
		case strings.HasPrefix(name, "steps/"):
			return 0
		case strings.HasPrefix(name, pristine):
			return 2
		case name == ManifestFile:
			return 3
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
	return names
}

// pristine is where a kit stores its stubs as they are handed out.
const pristine = "grader/workspace/pristine/"

// settle puts the new file in its place, or removes it, unless somebody has
// saved another one since it was read.
func (u *Update) settle(name string, stage *scratch.Folder) error {
	path, becomes := u.path(name), u.files[name].file
	if becomes.there {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
	}
	now, err := read(path)
	switch {
	case err != nil:
		return err
	case now.sum() != u.now[name].sum():
		return &SavedError{name}
	case now.like(becomes):
		return nil // an update that was interrupted came this far
	case becomes.there:
		return place(staged(stage, name), path, becomes)
	}
	return os.Remove(path)
}

// place puts a new file, which waits as staged, into its place. Where nothing can be
// renamed to (on another disk) it is written once more, beside the old one.
func place(staged, path string, becomes file) error {
	if os.Rename(staged, path) == nil {
		return nil
	}
	if err := whole.Write(path, becomes.data); err != nil {
		return err
	}
	return os.Chmod(path, becomes.permissions())
}

// write writes a file, if there is one, and makes sure that it is on the disk.
func write(path string, f file) error {
	if !f.there {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(f.data)
	return errors.Join(err, w.Chmod(f.permissions()), w.Sync(), w.Close())
}
