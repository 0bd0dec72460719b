//go:build overlay

package block

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// TestWorkedExample holds the numbers of the lesson, steps/step09_block/README.md.
// It stands on earlier steps: go test -tags overlay with the overlay of `grade bench overlay`.
func TestWorkedExample(t *testing.T) {
	param := func(x []float32, shape ...int) *tensor.Param { return tensor.NewParam("", tensor.From(x, shape...)) }
	row := func(x ...float32) *tensor.Tensor { return tensor.From(x, 1, 1, 2) }
	minus := func(a, b *tensor.Tensor) []float32 {
		return []float32{a.Data[0] - b.Data[0], a.Data[1] - b.Data[1]}
	}
	show := func(x []float32) string { return fmt.Sprintf("%.4f", x) }

	identities := param([]float32{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, 6, 2) // W_Q, W_K and W_V
	swap := param([]float32{0, 1, 1, 0}, 2, 2)
	attn := attention.NewMultiHead(identities, swap, 1, rope.New(10000, 2, 1))
	ffn := swiglu.New(param([]float32{1, 1}, 1, 2), param([]float32{1, 2}, 2, 1), param([]float32{1, -1}, 1, 2))
	b := New(param([]float32{1, 1}, 2), attn, param([]float32{1, 1}, 2), ffn)
	x, dz, positions := row(3, 4), row(1, 1), [][]int{{0}}

	require.Equal(t, "[0.8485 1.1314]", show(b.Norm1.Forward(x).Data))
	z := b.Forward(x, positions)
	require.Equal(t, "[4.1314 4.8485]", show(b.y.Data))
	require.Equal(t, "[3.8520 4.2898]", show(z.Data))
	require.Equal(t, "[0.9172 1.0764]", show(b.Norm2.Forward(b.y).Data))

	require.Equal(t, "[4.7431 -5.7849]", show(b.FFN.Backward(dz).Data))
	dx := b.Backward(dz) // branch by branch, from the end
	require.Equal(t, "[1.2441 -1.0601]", show(minus(b.dy, dz)))
	require.Equal(t, "[2.2441 -0.0601]", show(b.dy.Data))
	require.Equal(t, "[-0.3155 0.2367]", show(minus(dx, b.dy)))
	require.Equal(t, "[1.9286 0.1766]", show(dx.Data))

	loss := func(x0 float32) float32 {
		z := b.Forward(row(x0, 4), positions)
		return z.Data[0] + z.Data[1]
	}
	require.Equal(t, "8.12248 8.16105", fmt.Sprintf("%.5f %.5f", loss(2.99), loss(3.01)))
}
