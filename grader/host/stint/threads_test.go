//go:build linux || windows

package stint

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/child"
)

// TestMain lets the test's program be another that computes without end, on so many
// threads, or that waits without end.
func TestMain(m *testing.M) {
	switch os.Getenv("STINT_TEST") {
	case "computes":
		compute(1, new(atomic.Bool)).Wait()
	case "crowds":
		compute(2*runtime.NumCPU(), new(atomic.Bool)).Wait()
	case "waits":
		time.Sleep(time.Hour)
	default:
		os.Exit(m.Run())
	}
}

// compute computes on threads until the end.
func compute(threads int, end *atomic.Bool) *sync.WaitGroup {
	runtime.GOMAXPROCS(threads + 1)
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			runtime.LockOSThread()
			for !end.Load() { // busy, so that not all of them can run
			}
		})
	}
	return &all
}

// starts starts this program in a role, as a session, which ends with the test.
func starts(t *testing.T, role string) *Watch {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "STINT_TEST="+role)
	end, err := child.Start(cmd)
	require.NoError(t, err)
	w := Start(cmd.Process.Pid)
	t.Cleanup(func() {
		child.Kill(cmd)
		cmd.Wait()
		end()
		w.End()
	})
	return w
}

// Threads that want more processors than there are have waited.
func TestThreads(t *testing.T) {
	w := Start(session(t))
	defer w.End()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var end atomic.Bool
	all := compute(4*runtime.NumCPU(), &end)
	defer all.Wait()
	defer end.Store(true)
	before := w.Account()
	require.Eventually(t, func() bool {
		now := w.Account()
		return now.Waited > before.Waited && now.Ran > before.Ran && now.Active > before.Active
	}, time.Minute, time.Millisecond)
}

// On a crowded machine, who computes has as much time on a processor as on an idle one, and
// who waits for something else has little more than that on the clock.
func TestCrowded(t *testing.T) {
	const limit = 2 * time.Second
	starts(t, "crowds")
	for _, role := range []string{"computes", "waits"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			w := starts(t, role)
			err := <-w.Within(limit).Expired(nil)
			if role == "waits" {
				require.NoError(t, err)
			} else if !errors.As(err, new(*StarvedError)) {
				require.Greater(t, w.Account().Ran, limit/2)
			}
		})
	}
}
