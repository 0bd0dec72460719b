//go:build linux || darwin

package room

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Left returns how many bytes can be written to the disk of a folder.
func Left(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// full are the errors of a disk that is full.
func full() []error { return []error{syscall.ENOSPC, syscall.EDQUOT} }
