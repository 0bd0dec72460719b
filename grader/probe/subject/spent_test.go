//go:build linux || darwin

package subject

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// What a goroutine does counts for the code that is measured, and not for what it is
// compared with: nobody makes that slow.
func TestSpentAndAlone(t *testing.T) {
	defer OneProcessor()()
	const long = 20 * time.Millisecond
	inGoroutine := func() {
		done := make(chan bool)
		go func() {
			for x, begin := uint64(1), cputime.Process(); cputime.Process()-begin < long; {
				x = x*6364136223846793005 + 1
			}
			close(done)
		}()
		<-done
	}
	require.GreaterOrEqual(t, Spent(inGoroutine), long)
	require.Less(t, Alone(inGoroutine), long/2)
}

// Whoever asks for a product is counted, in whichever goroutine.
func TestMultiplications(t *testing.T) {
	m := kernel.Matrix{Rows: 3, Cols: 3, Data: make([]float32, 9), Down: 3, Right: 1}
	c := kernel.Matrix{Rows: 3, Cols: 3, Data: make([]float32, 9), Down: 3, Right: 1}
	require.Equal(t, 54, Multiplications(func() {
		kernel.Gemm(c, m, m, false)
		done := make(chan bool)
		go func() { kernel.GemmSerial(c, m, m, true); close(done) }()
		<-done
	}))
	require.Zero(t, Multiplications(func() {}))
}
