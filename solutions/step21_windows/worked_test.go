//go:build overlay

package windows

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// These tests stand on step 08: go test -tags overlay with the overlay of
// `grade bench overlay`.

// TestWorkedWindow holds the numbers of the lesson, steps/step21_windows/README.md: four
// tokens, W = 2 and one sink.
func TestWorkedWindow(t *testing.T) {
	ln2, ln3 := float32(math.Ln2), float32(math.Log(3))
	q := tensor.From([]float32{1, 1, 1, 1}, 4, 1)
	k, v := tensor.From([]float32{0, ln2, ln3, 0}, 4, 1), tensor.From([]float32{6, 3, 9, 16}, 4, 1)
	for want, a := range map[string]Window{
		"9.800": {W: 2, Sinks: 1}, "10.750": {W: 2}, "7.857": {W: 3, Sinks: 1}, "11.000": {W: 1, Sinks: 1},
	} {
		require.Equal(t, want, fmt.Sprintf("%.3f", a.Forward(q, k, v, nil).Data[3]))
	}
	var slots []int
	for p := range 4 {
		slots = append(slots, Slot(p, 2, 1))
	}
	require.Equal(t, []int{0, 1, 2, 1}, slots)
	for i, p := range []int{1, 2, 6, 7, 12} { // question 3
		require.Equal(t, []int{1, 2, 6, 2, 2}[i], Slot(p, 5, 2))
	}
}

// TestWorkedLinear holds its other example: three tokens, K = 2.
func TestWorkedLinear(t *testing.T) {
	q := tensor.From([]float32{0, 0, 0, 0, 0, 1}, 3, 2)
	k := tensor.From([]float32{0, 1, 1, 0, 0, float32(-math.Ln2)}, 3, 2)
	v := tensor.From([]float32{6, 3, 9}, 3, 1)
	require.Equal(t, "5.455", fmt.Sprintf("%.3f", Quadratic(q, k, v).Data[2]))
	s, y := NewState(2, 1), make([]float32, 1)
	for i := range 3 {
		s.Read(y, q.Row(i), k.Row(i), v.Row(i))
	}
	require.Equal(t, "[21.0 19.5] [4.0 3.5] [5.455]", fmt.Sprintf("%.1f %.1f %.3f", s.S.Data, s.Z.Data, y))
	for chunk := range 4 {
		l := Linear{Chunk: chunk}
		require.Equal(t, "5.455", fmt.Sprintf("%.3f", l.Forward(q, k, v, nil).Data[2]))
		dq, dk, dv := l.Backward(tensor.From([]float32{0, 0, 1}, 3, 1))
		require.Equal(t, "[-0.074 0.037]", fmt.Sprintf("%.3f", dq.Row(2)))
		require.Equal(t, "[0.050 0.099 -0.223 -0.446 0.322 0.322]", fmt.Sprintf("%.3f", dk.Data))
		require.Equal(t, "[0.455 0.364 0.182]", fmt.Sprintf("%.3f", dv.Data))
	}
}

// TestMemory holds the lesson's table.
func TestMemory(t *testing.T) {
	const layers, d, heads, gigabyte = 32, 4096, 32, 1e9
	for tokens, want := range map[int]string{1000: "1.05", 4000: "4.19", 100_000: "104.86", 1028: "1.08"} {
		require.Equal(t, want, fmt.Sprintf("%.2f", float64(2*layers*tokens*d*4)/gigabyte))
	}
	require.Equal(t, "68", fmt.Sprintf("%.0f", float64(layers*heads*(d/heads)*(d/heads+1)*4)/1e6))
}
