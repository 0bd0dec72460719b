package tree

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy reports whether something could not be removed because it is in use: a program
// that has just ended still is for a moment, and so is what a search for viruses reads.
// Then Windows refuses access, or says that a folder is not empty whose last file is on
// its way out.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_DIR_NOT_EMPTY)
}
