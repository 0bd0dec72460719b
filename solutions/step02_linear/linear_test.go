package linear

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step02_linear/README.md.
func TestWorkedExample(t *testing.T) {
	w := tensor.NewParam("w", tensor.From([]float32{1, 0.5, -2, 3}, 2, 2))
	x := tensor.From([]float32{1, 2, 3, -1}, 2, 2)
	dy := tensor.From([]float32{1, 0, -1, 2}, 2, 2)
	l := New(w)

	y := l.Forward(x)
	require.Equal(t, []float32{2, 4, 2.5, -9}, y.Data)
	require.Equal(t, float32(-18.5), loss(y, dy))
	dx := l.Backward(dy)
	require.Equal(t, []float32{1, 0.5, -5, 5.5}, dx.Data)
	require.Equal(t, []float32{-2, 3, 6, -2}, w.Grad.Data)

	untransposed := tensor.New(2, 2)
	tensor.Mul(untransposed.Matrix(), x.Matrix(), w.Value.Matrix())
	require.Equal(t, []float32{-3, 6.5, 5, -1.5}, untransposed.Data)

	w.Value.Set(-1, 1, 0) // the entry W₁₀, −2 before
	require.Equal(t, float32(-12.5), loss(l.Forward(x), dy))

	l.Backward(dy)
	require.Equal(t, []float32{-4, 6, 12, -4}, w.Grad.Data, "a second Backward adds")
}

// loss is a loss whose gradient with respect to y is dy: L = Σ dy ⊙ y.
func loss(y, dy *tensor.Tensor) float32 {
	sum := float32(0)
	for i, d := range dy.Data {
		sum += d * y.Data[i]
	}
	return sum
}
