package softmax

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step07_softmax/README.md.
func TestWorkedExample(t *testing.T) {
	x := tensor.From([]float32{0, 1.0986123, 2, 2}, 2, 2) // 0, ln 3 / 2, 2
	y := Softmax(nil, x, -1)
	require.Equal(t, "[0.2500 0.7500 0.5000 0.5000]", fmt.Sprintf("%.4f", y.Data))
	require.Equal(t, "[0.1192 0.2888 0.8808 0.7112]", fmt.Sprintf("%.4f", Softmax(nil, x, 0).Data))
	require.Equal(t, "[1.3863 2.6931]", fmt.Sprintf("%.4f", LogSumExp(x, -1).Data))

	dx := Backward(nil, y, tensor.From([]float32{1, 0, 0, 1}, 2, 2), -1)
	require.Equal(t, "[0.1875 -0.1875 -0.2500 0.2500]", fmt.Sprintf("%.4f", dx.Data))

	t.Run("in place", func(t *testing.T) {
		for axis := range 2 {
			y, own := Softmax(nil, x, axis), x.Clone()
			require.Same(t, own, Softmax(own, own, axis))
			require.Equal(t, y.Data, own.Data)
			dy := tensor.From([]float32{1, 0, 0, 1}, 2, 2)
			want := Backward(nil, y, dy, axis)
			require.Same(t, dy, Backward(dy, y, dy, axis))
			require.Equal(t, want.Data, dy.Data)
		}
		own := x.Clone()
		require.Zero(t, testing.AllocsPerRun(10, func() { Backward(own, Softmax(own, x, -1), x, -1) }))
	})
	t.Run("cross-entropy", func(t *testing.T) {
		var c CrossEntropy
		loss := func(x0 float32) string {
			l, err := c.Forward(tensor.From([]float32{x0, 1.0986123, 2, 2}, 1, 2, 2), [][]int{{1, 0}})
			require.NoError(t, err)
			return fmt.Sprintf("%.6f", l)
		}
		require.Equal(t, "0.490415", loss(0))
		require.Equal(t, "[0.1250 -0.1250 -0.2500 0.2500]", fmt.Sprintf("%.4f", c.Backward().Data))
		require.Equal(t, "0.489169 0.491669", loss(-0.01)+" "+loss(0.01)) // a nudge of the first logit
	})
	t.Run("far apart", func(t *testing.T) {
		var c CrossEntropy
		for _, gap := range []float32{10, 100, 104, 200} {
			l, err := c.Forward(tensor.From([]float32{0, gap}, 1, 1, 2), [][]int{{0}})
			require.NoError(t, err)
			require.InDelta(t, gap, l, 1e-4)
		}
		require.Zero(t, Softmax(nil, tensor.From([]float32{0, 104}, 2), 0).Data[0])
	})
}
