//go:build overlay

package swiglu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step05_swiglu/README.md.
// The network stands on step 02: go test -tags overlay with the overlay of
// `grade bench overlay`.
func TestWorkedExample(t *testing.T) {
	param := func(name string, data ...float32) *tensor.Param {
		return tensor.NewParam(name, tensor.From(data, 2, 2))
	}
	s := New(param("w1", 1, 1, 0, -0.5), param("w2", 1, 2, 0, 1), param("w3", 2, 0, 1, 0.5))
	x := tensor.From([]float32{1, 2}, 1, 2)
	y := s.Forward(x)
	require.Equal(t, "[3 -1] [2.8577 -0.2689] [2 2]", fmt.Sprintf("%v %.4f %v", s.gate.Data, s.act.Data, s.up.Data))
	require.Equal(t, "[5.7154 -0.5379] [4.6397 -0.5379]", fmt.Sprintf("%.4f %.4f", s.hidden.Data, y.Data))

	dx := s.Backward(tensor.From([]float32{1, 1}, 1, 2))
	require.Equal(t, "[2.8577 -0.8068] [2.1762 0.4340]", fmt.Sprintf("%.4f %.4f", s.dUp.Data, s.dGate.Data))
	require.Equal(t, "[7.0848 1.5558]", fmt.Sprintf("%.4f", dx.Data))
	require.Equal(t, "[2.1762 1.9592]", fmt.Sprintf("%.4f", s.W1.Backward(s.dGate).Data)) // dGate·W1, a part of dx

	t.Run("a nudge of x", func(t *testing.T) {
		loss := func(x0 float32) float32 { // a loss whose gradient with respect to y is dy = (1, 1)
			y := s.Forward(tensor.From([]float32{x0, 2}, 1, 2))
			return y.Data[0] + y.Data[1]
		}
		require.Equal(t, "4.03116 4.17286", fmt.Sprintf("%.5f %.5f", loss(0.99), loss(1.01)))
	})
}
