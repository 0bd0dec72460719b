// Package room says how much room a disk has, and tells the errors of one that has none.
package room

import (
	"errors"
	"regexp"
	"syscall"

	"github.com/stubformer/stubformer/grader/lang"
)

const (
	// Least is how many bytes grading needs, at least, where its scratch folders are:
	// several times what the programs of a step take.
	Least = 64 << 20
	// Ample is a share that no right program uses up, and no build of one.
	Ample = 2 * Least
	// Scarce is with how many what fails may fail for want of room.
	Scarce = Least / 4

	parts = 4 // of what is left, a share is one
)

// FullError says that the disk of a folder has less room than grading needs.
type FullError struct {
	Dir         string
	Left, Needs int64
}

func (e *FullError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *FullError) In(p lang.Printer) string {
	return p.Say("the disk of %s is full: %d MiB are left, and grading needs %d MiB. Remove something there, or set TMPDIR to a folder with more room",
		e.Dir, e.Left>>20, e.Needs>>20)
}

// Enough returns a *FullError if the disk of a folder has less room than grading needs:
// for strangers so much that the share of each is ample. Where the system does not say
// how much it has, it is taken for enough.
func Enough(dir string, strangers bool) error {
	needs := int64(Least)
	if strangers {
		needs = parts * Ample
	}
	if left, err := Left(dir); err == nil && left < needs {
		return &FullError{dir, left, needs}
	}
	return nil
}

// Share returns how many bytes one of several who write to the disk of a folder may
// write there, of at most so many: each a part of what the others leave, so that together
// they never fill it.
func Share(dir string, most int64) int64 {
	if left, err := Left(dir); err == nil && left/parts < most {
		return max(left/parts, 1)
	}
	return most
}

// Lacking reports whether an error is that of a machine which has no room, memory, process
// or descriptor left.
func Lacking(err error) bool {
	for _, one := range append(full(), syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN) {
		if errors.Is(err, one) {
			return true
		}
	}
	return errors.As(err, new(*FullError))
}

// words are those with which systems say that a disk is full.
var words = regexp.MustCompile(`(?i)no space left on device|disk quota exceeded|not enough space on the disk`)

// Says reports whether a program's words are that a disk is full.
func Says(output string) bool { return words.MatchString(output) }
