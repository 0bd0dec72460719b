//go:build !stubformer_probe

package subject

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestInterrupted asks calls with a product of matrices in their middle: what is kept in a
// variable that all share is another's behind it, every time; what belongs to the call, or is
// locked while it lasts, is not.
func TestInterrupted(t *testing.T) {
	product := func() {
		m := kernel.Matrix{Rows: 1, Cols: 1, Down: 1, Right: 1, Data: []float32{1}}
		kernel.Gemm(m, m, m, false)
	}
	answer := func(x int) wire.Message {
		return wire.Message{Status: wire.OK, Values: wire.Values{"y": wire.Float(float64(x))}}
	}
	var shared int
	var lock sync.Mutex
	for name, c := range map[string]struct {
		call func(x int) wire.Message
		want float64
	}{
		"its own": {func(x int) wire.Message { own := x; product(); return answer(own) }, 1},
		"shared":  {func(x int) wire.Message { shared = x; product(); return answer(shared) }, 2},
		"locked": {func(x int) wire.Message {
			lock.Lock()
			defer lock.Unlock()
			shared = x
			product()
			return answer(shared)
		}, 1},
		"no product": {func(x int) wire.Message { return answer(x) }, 1},
	} {
		for range 3 {
			m := interrupted(func() wire.Message { return c.call(1) }, func() wire.Message { return c.call(2) })
			require.Equal(t, c.want, m.Values["y"].F64[0], name)
		}
	}
	m := interrupted(func() wire.Message { product(); return answer(1) }, func() wire.Message { return failed(errors.New("no")) })
	require.Equal(t, wire.Error, m.Status)
}
