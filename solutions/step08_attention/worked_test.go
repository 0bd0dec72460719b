//go:build overlay

package attention

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// TestWorkedExample holds the numbers of the lesson, steps/step08_attention/README.md.
// It stands on earlier steps: go test -tags overlay with the overlay of `grade bench overlay`.
func TestWorkedExample(t *testing.T) {
	ln9 := float32(math.Log(9))
	q := tensor.From([]float32{1, 4, 0, 0, 0, ln9, 0, 0}, 2, 4)
	k := tensor.From([]float32{1, 0, 0, 0, 0, 1, 0, 0}, 2, 4)
	v := tensor.From([]float32{4, 0, 0, 8}, 2, 2)
	dy := tensor.From([]float32{1, 0, 1, 1}, 2, 2)
	var a Attention

	y := a.Forward(q, k, v, Causal(2))
	require.Equal(t, "[1.0000 0.0000 0.2500 0.7500]", fmt.Sprintf("%.4f", a.Weights().Data))
	require.Equal(t, "[4.0000 0.0000 1.0000 6.0000]", fmt.Sprintf("%.4f", y.Data))

	dq, dk, dv := a.Backward(dy)
	require.Equal(t, "[1.2500 0.2500 0.7500 0.7500]", fmt.Sprintf("%.4f", dv.Data))
	requireNear(t, []float32{0, 0, 0, 0, -0.375, 0.375, 0, 0}, dq)
	requireNear(t, []float32{0, -0.8240, 0, 0, 0, 0.8240, 0, 0}, dk)

	t.Run("a nudge of q", func(t *testing.T) {
		loss := func(nudge float32) float32 { // a loss whose gradient with respect to y is dy
			q.Data[5] = ln9 + nudge
			y := a.Forward(q, k, v, Causal(2)).Data
			return y[0] + y[2] + y[3]
		}
		require.Equal(t, "10.99625 11.00375", fmt.Sprintf("%.5f %.5f", loss(-0.01), loss(0.01)))
	})
	t.Run("mistakes", func(t *testing.T) {
		weights := func(x ...float32) string {
			scores := tensor.From(x, len(x))
			return fmt.Sprintf("%.4f", softmax.Softmax(nil, scores, 0).Data)
		}
		require.Equal(t, "[0.1824 0.8176]", weights(0.5, 2), "row 0 without a mask")
		require.Equal(t, "[0.1000 0.9000]", weights(0, ln9), "row 1 without the scale")
	})
}

// requireNear compares with the lesson's four places.
func requireNear(t *testing.T, want []float32, got *tensor.Tensor) {
	t.Helper()
	require.InDeltaSlice(t, want, got.Data, 5e-5)
}
