package cputime_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/cputime"
)

// TestTicks holds that no clock stands still while a little is computed.
func TestTicks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, clock := range map[string]func() time.Duration{"wall": cputime.Wall, "process": cputime.Process, "thread": cputime.Thread} {
		x := uint64(1)
		for range 100 {
			before := clock()
			for range 10_000 {
				x = x*6364136223846793005 + 1
			}
			require.Positive(t, clock()-before, name)
		}
		require.NotZero(t, x, name)
	}
}
