package subject_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestInPlace names the input whose memory was written to, if that changes the result.
func TestInPlace(t *testing.T) {
	nan := float32(math.NaN())
	y := tensor.From([]float32{1, 2, nan}, 3)
	for name, c := range map[string]struct {
		without, z *tensor.Tensor
		want       []float32
		said       bool
	}{
		"the same":        {y, tensor.From([]float32{1, 2, nan}, 3), []float32{1, 2}, false},
		"other numbers":   {y, tensor.From([]float32{1, 0, nan}, 3), []float32{1, 0}, true},
		"another shape":   {y, tensor.From([]float32{1, 2, nan}, 1, 3), []float32{1, 2}, true},
		"y is not itself": {tensor.From([]float32{1, 3, nan}, 3), tensor.From([]float32{1, 3, nan}, 3), []float32{1, 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			out := subject.Args{}.InPlace("x", "y", c.without, y, c.z, wire.Values{"x": wire.Int(3)})
			require.Equal(t, c.want, out["y"].F32[:2])
			require.Equal(t, []int64{3}, out["x"].I64)
			input, said := out[wire.InPlace+"y"]
			require.Equal(t, c.said, said)
			if said {
				require.Equal(t, "x", input.Text)
			}
		})
	}
}
