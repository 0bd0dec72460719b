//go:build overlay

package flash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// These tests stand on step 08: go test -tags overlay with the overlay of
// `grade bench overlay`.

// TestWorkedExample holds the numbers of the lesson, steps/step16_flash/README.md: one
// query and three keys in tiles of two, K = C = 1.
func TestWorkedExample(t *testing.T) {
	ln3, ln4 := float32(math.Log(3)), float32(math.Log(4))
	q := tensor.From([]float32{1}, 1, 1)
	k, v := tensor.From([]float32{0, ln3, ln4}, 3, 1), tensor.From([]float32{4, 8, 16}, 3, 1)
	a := Attention{TileM: 2}
	y := a.Forward(q, k, v, nil)
	require.Equal(t, "[11.500] [2.079]", fmt.Sprintf("%.3f %.3f", y.Data, a.LogSumExp().Data))
	require.Equal(t, "[0.125 0.375 0.500]", fmt.Sprintf("%.3f", a.Weights().Data))

	dq, dk, dv := a.Backward(tensor.From([]float32{1}, 1, 1))
	require.Equal(t, "[0.125 0.375 0.500]", fmt.Sprintf("%.3f", dv.Data))
	require.Equal(t, "[-0.9375 -1.3125 2.2500]", fmt.Sprintf("%.4f", dk.Data))
	require.Equal(t, "[1.677]", fmt.Sprintf("%.3f", dq.Data))

	for name, factor := range map[string]float64{"12.667": 1, "10.857": 1, "10.240": 4.0 / 3} { // the table of mistakes
		l := factor*4/3 + 1
		if name == "12.667" { // l is scaled, and O is not
			l = 2
		}
		require.Equal(t, name, fmt.Sprintf("%.3f", (factor*28/3+16)/l))
	}
}

// TestSameAsNaive compares with the attention of step 08, in tiles that fit and do not.
func TestSameAsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	normal := func(shape ...int) *tensor.Tensor {
		t := tensor.New(shape...)
		for i := range t.Data {
			t.Data[i] = float32(rng.NormFloat64())
		}
		return t
	}
	for _, size := range [][2]int{{5, 5}, {7, 12}, {9, 4}, {70, 131}} {
		n, m := size[0], size[1]
		q, k, v, dy := normal(2, 3, n, 4), normal(2, 3, m, 4), normal(2, 3, m, 5), normal(2, 3, n, 5)
		mask := &attention.Mask{N: n, M: m, Attend: make([]bool, n*m)}
		for at := range mask.Attend {
			mask.Attend[at] = at%m <= at/m+m-n
		}
		var naive attention.Attention
		y := naive.Forward(q, k, v, mask)
		dq, dk, dv := naive.Backward(dy)
		for _, tiles := range [][2]int{{0, 0}, {3, 2}, {2, 5}, {1, 1}, {16, 7}} {
			for _, mask := range []*attention.Mask{mask, {N: n, M: m}} {
				a := Attention{TileN: tiles[0], TileM: tiles[1]}
				require.InDeltaSlice(t, y.Data, a.Forward(q, k, v, mask).Data, 1e-5)
				require.InDeltaSlice(t, naive.Weights().Data, a.Weights().Data, 1e-5)
				ownQ, ownK, ownV := a.Backward(dy)
				require.InDeltaSlice(t, dq.Data, ownQ.Data, 1e-5)
				require.InDeltaSlice(t, dk.Data, ownK.Data, 1e-5)
				require.InDeltaSlice(t, dv.Data, ownV.Data, 1e-5)
			}
		}
	}
}
