package cputime_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/cputime"
)

// On a machine that is crowded a time on the wall says nothing of who computes.
func TestTold(t *testing.T) {
	threads := 4 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads + 1))
	var end atomic.Bool
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			runtime.LockOSThread()
			for !end.Load() { // busy
			}
		})
	}
	require.Equal(t, runtime.GOOS != "windows", cputime.Told())
	end.Store(true)
	all.Wait()
}
