//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package launch

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// pause is how long to wait before a lock is tried again.
const pause = 100 * time.Millisecond

// lock takes the lock that a file stands for. It ends with the process at the latest. On a
// disk that knows no locks there is none: then a program may be compiled twice.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return func() { f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}
