//go:build !stubformer_probe

package subject

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestOverlapped asks calls that add a product to y twice: in two goroutines one of the
// sums is lost, every time, unless they take turns or have places of their own.
func TestOverlapped(t *testing.T) {
	y, other, one := tensor.New(2, 2), tensor.New(2, 2), tensor.From([]float32{1, 0, 0, 1}, 2, 2).Matrix()
	add := func(dst *tensor.Tensor) { tensor.MulAdd(dst.Matrix(), one, one) }
	var lock sync.Mutex
	both := func(f, g func()) func() {
		return func() {
			var all sync.WaitGroup
			all.Go(f)
			all.Go(g)
			all.Wait()
		}
	}
	locked := func() {
		lock.Lock()
		defer lock.Unlock()
		add(y)
	}
	for name, c := range map[string]struct {
		call func()
		want float32
	}{
		"one after the other":     {func() { add(y); add(y) }, 2},
		"to one place":            {both(func() { add(y) }, func() { add(y) }), 1},
		"in turn":                 {both(locked, locked), 2},
		"each to a place its own": {both(func() { add(y) }, func() { add(other) }), 2},
	} {
		for range 3 {
			h := NewHost(Functions{"f": func(Args) (wire.Values, error) {
				y.Zero()
				other.Zero()
				c.call()
				return wire.Values{"y": wire.Floats([]float64{float64(y.Data[0] + other.Data[0])}, 1)}, nil
			}})
			m := h.Answer("f", wire.Values{atOnce: wire.Int(0)})
			require.Equal(t, wire.OK, m.Status)
			require.Equal(t, []float64{float64(c.want)}, m.Values["y"].F64, name)
		}
	}
}

// What a call adds to is for a call at once as it was before the call alone.
func TestOverlappedAddsToWhatWas(t *testing.T) {
	h := NewHost(Functions{"f": func(in Args) (wire.Values, error) {
		dg := in.Tensor("dg_before")
		dg.Data[0]++
		return wire.Values{"dg": wire.Tensor(dg)}, nil
	}})
	for _, meetings := range []int{0, 3} {
		m := h.Answer("f", wire.Values{"dg_before": wire.Float32s([]float32{5}, 1), atOnce: wire.Int(meetings)})
		require.Equal(t, []float32{6}, m.Values["dg"].F32, meetings)
	}
}
