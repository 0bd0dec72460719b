//go:build !stubformer_probe

package subject

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestAtOnce asks functions that keep a buffer of their own, share one, and end badly,
// while other goroutines ask them too. The one that shares waits until it is disturbed.
func TestAtOnce(t *testing.T) {
	var calls atomic.Int64
	var shared [2]atomic.Uint32
	double := func(in Args) []float32 {
		x := in.Tensor("x").Data
		return []float32{2 * x[0], 2 * x[1]}
	}
	h := NewHost(Functions{
		"own": func(in Args) (wire.Values, error) {
			return wire.Values{"y": wire.Float32s(double(in), 2)}, nil
		},
		"shared": func(in Args) (wire.Values, error) {
			before := calls.Load()
			y := double(in)
			for i := range y {
				shared[i].Store(uint32(y[i]))
			}
			for i := 0; before > 0 && calls.Load() == before && i < 1e5; i++ { // another call comes between
				continue
			}
			calls.Add(1)
			return wire.Values{"y": wire.Float32s([]float32{float32(shared[0].Load()), float32(shared[1].Load())}, 2)}, nil
		},
		"refused": func(in Args) (wire.Values, error) {
			if calls.Add(1) > 5 {
				panic(tensor.ShapeError{Op: "not again"})
			}
			return wire.Values{"y": wire.Float32s(double(in), 2)}, nil
		},
	})
	in := wire.Values{"x": wire.Float32s([]float32{1, 3}, 2), atOnce: wire.Int(60)}
	require.Equal(t, []float32{2, 6}, h.Answer("own", in).Values["y"].F32)
	require.NotEqual(t, []float32{2, 6}, h.Answer("shared", in).Values["y"].F32)
	calls.Store(0)
	require.Equal(t, wire.ShapeError, h.Answer("refused", in).Status)
	require.Equal(t, []float32{1, 3}, in["x"].F32)
}
