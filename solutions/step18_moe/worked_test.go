package moe

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step18_moe/README.md.
func TestWorkedExample(t *testing.T) {
	ln2, ln4 := float32(math.Ln2), float32(2*math.Ln2)
	logits, outs := []float32{ln4, ln2, 0}, []float32{3, 6, 100}
	for _, c := range []struct {
		k     int
		gates string
		y, dl string
		dg    []float32
	}{
		{2, "[0.667 0.333]", "4.000", "[-0.667 0.667 0.000]", []float32{3, 6}},
		{1, "[0.571]", "1.714", "[0.735 -0.490 -0.245]", []float32{3}},
	} {
		t.Run(fmt.Sprintf("k = %d", c.k), func(t *testing.T) {
			chosen, gates, dl := make([]int, c.k), make([]float32, c.k), make([]float32, 3)
			TopK(chosen, logits)
			Gates(gates, logits, chosen)
			require.Equal(t, c.gates, fmt.Sprintf("%.3f", gates))
			y := float32(0)
			for n, e := range chosen {
				y += gates[n] * outs[e]
			}
			require.Equal(t, c.y, fmt.Sprintf("%.3f", y))
			GatesBackward(dl, c.dg, gates, logits, chosen)
			require.Equal(t, c.dl, fmt.Sprintf("%.3f", dl))
		})
	}
	t.Run("losses", func(t *testing.T) {
		var l losses
		l.count(tensor.From([]float32{ln4, ln2, 0, ln2, 0, ln4}, 2, 3), []int{0, 1, 2, 0}, 2, nil)
		require.Equal(t, "[0.50 0.25 0.25] 1.071 3.787", fmt.Sprintf("%.2f %.3f %.3f", l.share, l.balance, l.z))
		dl := make([]float32, 3)
		l.backward(dl, logits, 1, 0)
		require.Equal(t, "[0.092 -0.061 -0.031]", fmt.Sprintf("%.3f", dl))
	})
}
