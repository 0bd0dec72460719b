package probe

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Threads that want more processors than there are have waited.
func TestScheduled(t *testing.T) {
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, 0, 0, 0)
	require.Zero(t, errno)
	before := scheduled(int(session))
	var end atomic.Bool
	var all sync.WaitGroup
	for range 4 * runtime.NumCPU() {
		all.Go(func() {
			runtime.LockOSThread()
			for !end.Load() { // busy, so that not all of them can run
			}
		})
	}
	defer all.Wait()
	defer end.Store(true)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	require.Eventually(t, func() bool { now := scheduled(int(session)); return now.waited > before.waited && now.ran > before.ran }, time.Minute, time.Millisecond)
}
