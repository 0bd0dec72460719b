package rope

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step06_rope/README.md.
func TestWorkedExample(t *testing.T) {
	r := New(10000, 2, 16)
	require.Equal(t, "0.5403 0.8415", fmt.Sprintf("%.4f %.4f", r.Cos.At(1, 0), r.Sin.At(1, 0)))
	require.Equal(t, "-0.4161 0.9093", fmt.Sprintf("%.4f %.4f", r.Cos.At(2, 0), r.Sin.At(2, 0)))

	x := tensor.From([]float32{1, 0, 3, 4}, 1, 2, 2) // a query in row 0, a key in row 1
	at := func(m, n int) [][]int { return [][]int{{m, n}} }
	require.Equal(t, "[0.5403 0.8415 -4.8856 1.0633]", fmt.Sprintf("%.4f", r.Forward(nil, x, at(1, 2)).Data))
	require.Equal(t, "[0.5403 -0.8415 2.3887 -4.3925]", fmt.Sprintf("%.4f", r.Backward(nil, x, at(1, 2)).Data))

	t.Run("in place", func(t *testing.T) {
		own := x.Clone()
		require.Same(t, own, r.Forward(own, own, at(1, 2)))
		require.Equal(t, r.Forward(nil, x, at(1, 2)).Data, own.Data)
		require.Same(t, own, r.Backward(own, own, at(1, 2)))
		require.InDeltaSlice(t, x.Data, own.Data, 1e-6)
		require.Zero(t, testing.AllocsPerRun(10, func() { r.Forward(own, x, [][]int{{1, 2}}) }))
	})
	t.Run("the score depends on the distance", func(t *testing.T) {
		for _, c := range []struct {
			m, n int
			want string
		}{{1, 2, "-1.7450"}, {6, 7, "-1.7450"}, {1, 3, "-4.8856"}} {
			y := r.Forward(nil, x, at(c.m, c.n)).Data
			require.Equal(t, c.want, fmt.Sprintf("%.4f", y[0]*y[2]+y[1]*y[3]), "positions %d and %d", c.m, c.n)
		}
	})
	t.Run("with the key turned the other way it depends on the sum", func(t *testing.T) {
		for _, c := range []struct {
			m, n int
			want string
		}{{1, 2, "-2.4055"}, {3, 0, "-2.4055"}, {6, 7, "4.4030"}} {
			query, key := r.Forward(nil, x, at(c.m, c.n)).Data[:2], r.Backward(nil, x, at(c.m, c.n)).Data[2:]
			require.Equal(t, c.want, fmt.Sprintf("%.4f", query[0]*key[0]+query[1]*key[1]), "positions %d and %d", c.m,
				c.n)
		}
	})
	t.Run("two pairs", func(t *testing.T) {
		r := New(100, 4, 4)
		require.Equal(t, "[0.5403 0.9950] [0.8415 0.0998]", fmt.Sprintf("%.4f %.4f", r.Cos.Row(1), r.Sin.Row(1)))
		y := r.Forward(nil, tensor.From([]float32{1, 2, 3, 4}, 1, 1, 4), [][]int{{1}})
		require.Equal(t, "[-1.1426 1.9221 2.5857 4.2795]", fmt.Sprintf("%.4f", y.Data))
	})
}
