//go:build !stubformer_probe

package subject

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Goroutines of which all but one come to another number are found out, and a panic is that
// of the caller's own call.
func TestTogether(t *testing.T) {
	numbered := func(n int) *tensor.Tensor {
		y := tensor.New(1)
		y.Data[0] = float32(n)
		return y
	}
	require.Equal(t, float32(7), Together(func() *tensor.Tensor { return numbered(7) }).Data[0])
	var calls atomic.Int64
	require.Panics(t, func() { Together(func() *tensor.Tensor { return numbered(int(calls.Add(1))) }) })
	require.PanicsWithValue(t, "refused", func() { Together(func() *tensor.Tensor { panic("refused") }) })
	var met sync.WaitGroup // no call ends before all have begun
	met.Add(1 + neighbours)
	Together(func() *tensor.Tensor {
		met.Done()
		met.Wait()
		return numbered(1)
	})
}
