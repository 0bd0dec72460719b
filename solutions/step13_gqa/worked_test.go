//go:build overlay

package gqa

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// These tests stand on step 08: go test -tags overlay with the overlay of
// `grade bench overlay`.

// TestWorkedExample holds the numbers of the lesson, steps/step13_gqa/README.md: two
// heads of K = 2 that share one head of keys and values, after RoPE.
func TestWorkedExample(t *testing.T) {
	r := float32(math.Sqrt2 * math.Log(3))
	k := tensor.From([]float32{1, 0, 0, 1}, 1, 1, 2, 2)
	v := tensor.From([]float32{4, 0, 0, 8}, 1, 1, 2, 2)
	q := tensor.From([]float32{0, 0, 0, r, 0, 0, r, 0}, 1, 2, 2, 2) // head, token
	dy := tensor.From([]float32{0, 0, 1, 0, 0, 0, 0, 1}, 1, 2, 2, 2)
	var a attention.Attention
	y := a.Forward(q, Repeat(nil, k, 2), Repeat(nil, v, 2), attention.Causal(2))
	require.Equal(t, "[4.00 0.00 1.00 6.00 4.00 0.00 3.00 2.00]", fmt.Sprintf("%.2f", y.Data))

	_, dKeys, dValues := a.Backward(dy)
	require.Equal(t, "[0.25 0.00 0.75 0.00 0.00 0.75 0.00 0.25]", fmt.Sprintf("%.2f", dValues.Data))
	require.Equal(t, "[0.25 0.75 0.75 0.25]", fmt.Sprintf("%.2f", SumGroups(nil, dValues, 1).Data))
	require.Equal(t, "[0.000 0.824 0.000 -0.824 -1.648 0.000 1.648 0.000]", fmt.Sprintf("%.3f", dKeys.Data))
	require.Equal(t, "[-1.648 0.824 1.648 -0.824]", fmt.Sprintf("%.3f", SumGroups(nil, dKeys, 1).Data))

	reads := Repeat(nil, tensor.From([]float32{0, 1}, 1, 2, 1, 1), 6) // each head holds its own number
	require.Equal(t, "[0 0 0 1 1 1]", fmt.Sprint(reads.Data))
	loss := func(nudge float32) float64 { // whose gradient with respect to y is dy
		k.Data[0] = 1 + nudge
		y := a.Forward(q, Repeat(nil, k, 2), Repeat(nil, v, 2), attention.Causal(2))
		return float64(kernel.Dot(y.Data, dy.Data))
	}
	require.InDelta(t, -1.648, (loss(0.01)-loss(-0.01))/0.02, 1e-3)
}

// TestWhatItSaves prints the lesson's table.
func TestWhatItSaves(t *testing.T) {
	for _, m := range []struct {
		name                         string
		d, layers, heads, kvHeads, f int
	}{
		{"Llama 2 7B", 4096, 32, 32, 32, 11_008},
		{"Llama 3 8B", 4096, 32, 32, 8, 14_336},
		{"Llama 2 70B", 8192, 80, 64, 8, 28_672},
		{"the same, ungrouped", 8192, 80, 64, 64, 28_672},
	} {
		width := m.d / m.heads
		attn, token := 2*m.d*m.d+2*m.d*m.kvHeads*width, 2*m.layers*m.kvHeads*width*2
		t.Logf(
			"%-20s H %2d, H_kv %2d: attention %6.1f M, feed-forward %6.1f M a layer; cache %6.0f kB a token, %5.2f GB",
			m.name, m.heads, m.kvHeads, float64(attn)/1e6, float64(3*m.d*m.f)/1e6, float64(token)/1e3,
			float64(4096*token)/1e9)
	}
}
