//go:build overlay

package swiglu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWholeLayer holds the first and the last numbers of the lesson's worked
// example, steps/step05_swiglu/README.md, between which the layer stands.
// It stands on step 02: go test -tags overlay with the overlay of `grade bench overlay`.
func TestWholeLayer(t *testing.T) {
	param := func(x ...float32) *tensor.Param { return tensor.NewParam("", tensor.From(x, 2, 2)) }
	s := New(param(1, 1, 0, -0.5), param(1, 2, 0, 1), param(2, 0, 1, 0.5))
	x := tensor.From([]float32{1, 2}, 1, 2)
	require.Equal(t, "[4.6397 -0.5379]", fmt.Sprintf("%.4f", s.Forward(x).Data))
	require.Equal(t, "[7.0848 1.5558]", fmt.Sprintf("%.4f", s.Backward(tensor.From([]float32{1, 1}, 1, 2)).Data))
}
