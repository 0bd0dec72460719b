package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// Claim is a folder that this process has made for a new run or model. To make
// a folder is to claim it: of several processes one makes it and the others are
// told that it is there.
type Claim struct {
	Dir string

	parent string // of Dir, if that was made too
}

// New claims the folder dir, which must not be there.
func New(dir string) (*Claim, error) {
	c := &Claim{Dir: dir}
	parent := filepath.Dir(filepath.Clean(dir))
	for {
		if err := os.MkdirAll(filepath.Dir(parent), 0o755); err != nil {
			return nil, err
		}
		err := os.Mkdir(parent, 0o755)
		if err == nil {
			c.parent = parent
		} else if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		err = os.Mkdir(dir, 0o755)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.parent = "" // another process has undone its claim, and the parent with it
		case errors.Is(err, fs.ErrExist):
			return nil, taken(dir)
		case err != nil:
			return nil, err
		default:
			return c, nil
		}
	}
}

// NewNumbered claims the folder name, or name-2, name-3, … if that is taken.
func NewNumbered(name string) (*Claim, error) {
	for n, dir := 2, name; ; n++ {
		c, err := New(dir)
		var held *HeldError
		var taken *TakenError
		if !errors.As(err, &held) && !errors.As(err, &taken) {
			return c, err
		}
		dir = fmt.Sprintf("%s-%d", name, n)
	}
}

// Vacant returns nil if there is nothing of the name dir, and otherwise a
// *HeldError or a *TakenError.
func Vacant(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return taken(dir)
}

func taken(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
		return &HeldError{Dir: dir}
	}
	return &TakenError{Dir: dir}
}

// Undo removes the folder again, unless somebody trains in it or it holds more
// than a run does that has not begun: a checkpoint, or a file of one's own.
func (c *Claim) Undo() error {
	unlock, err := Lock(c.Dir)
	if err != nil {
		return nil // it is in use
	}
	if _, err := os.Lstat(filepath.Join(c.Dir, CheckpointFile)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(unlock())
	}
	// Without its configuration nobody can begin to train in it.
	files := append([]string{ConfigFile, TrainFile, ValidationFile, LogFile, WeightsFile}, tokenizer.AllFiles()...)
	var errs []error
	for _, name := range files {
		errs = append(errs, removeFile(filepath.Join(c.Dir, name)))
	}
	errs = append(errs, removeFile(Snapshot(c.Dir, 0)))
	os.Remove(filepath.Join(c.Dir, snapshotFolder)) // stays if there is something in it
	errs = append(errs, unlock(), removeFile(filepath.Join(c.Dir, lockFile)))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	os.Remove(c.Dir) // stays if there is something in it
	if c.parent != "" {
		os.Remove(c.parent) // likewise
	}
	return nil
}

// removeFile removes a file, if it is there.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// HeldError says that a folder holds a run or a model already.
type HeldError struct{ Dir string }

func (e *HeldError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *HeldError) In(p lang.Printer) string {
	return p.Say("%s holds a run already; continue it with --resume %s, or name a new folder", e.Dir, lang.Argument(e.Dir))
}

// TakenError says that there is something of a folder's name, and no run in it.
type TakenError struct{ Dir string }

func (e *TakenError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *TakenError) In(p lang.Printer) string {
	return p.Say("%s is there already, and holds no run; name a new folder", e.Dir)
}
