package stint

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
func TestThreads(t *testing.T) {
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, 0, 0, 0)
	require.Zero(t, errno)
	w := Start(int(session))
	defer w.End()
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
	before := w.Account()
	require.Eventually(t, func() bool {
		now := w.Account()
		return now.Waited > before.Waited && now.Ran > before.Ran && now.Active > before.Active
	}, time.Minute, time.Millisecond)
}
