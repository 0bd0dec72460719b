package sandbox

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeFrom has every descriptor from first on closed in what this process
// becomes, or starts without naming them.
func closeFrom(first int) error {
	err := unix.CloseRange(uint(first), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	var limit unix.Rlimit // before Linux 5.11
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	for fd := first; uint64(fd) < limit.Cur; fd++ {
		unix.CloseOnExec(fd)
	}
	return nil
}
