//go:build !linux && !darwin && !windows

package room

import (
	"errors"
	"syscall"
)

// Left does not know on this system.
func Left(string) (int64, error) { return 0, errors.ErrUnsupported }

// full are the errors of a disk that is full.
func full() []error { return []error{syscall.ENOSPC} }
