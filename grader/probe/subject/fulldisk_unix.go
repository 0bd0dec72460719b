//go:build linux || darwin

package subject

import "syscall"

// OnFullDisk calls write while no file can hold more than a few bytes, as on a disk
// that is full, and returns its error.
func OnFullDisk(write func() error) error {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		refuse("the largest size of a file cannot be read: %v", err)
	}
	full := before
	full.Cur = 5
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		refuse("the largest size of a file cannot be set: %v", err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)
	return write()
}
