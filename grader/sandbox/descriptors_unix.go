//go:build unix && !linux

package sandbox

import (
	"os"
	"strconv"
	"syscall"
)

// closeFrom has every descriptor from first on closed in what this process
// becomes, or starts without naming them.
func closeFrom(first int) error {
	open, err := os.ReadDir("/dev/fd")
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
	return err
}
