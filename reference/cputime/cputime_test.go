//go:build linux || darwin

package cputime_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/cputime"
)

func TestWork(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, clock := range map[string]func() time.Duration{"process": cputime.Process, "thread": cputime.Thread} {
		before, x := clock(), uint64(1)
		for clock()-before < time.Millisecond {
			x = x*6364136223846793005 + 1
		}
		require.NotZero(t, x, name)
	}
}

// TestWaiting holds that who waits spends nothing.
func TestWaiting(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := cputime.Thread()
	time.Sleep(50 * time.Millisecond)
	require.Less(t, cputime.Thread()-before, 25*time.Millisecond)
}
