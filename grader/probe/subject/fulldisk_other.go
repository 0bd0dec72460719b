//go:build !linux && !darwin

package subject

import "errors"

// OnFullDisk returns an error: this system cannot be told that its disk is full.
func OnFullDisk(func() error) error { return errors.ErrUnsupported }
