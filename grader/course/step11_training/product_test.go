package training

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// A product of which the terms cancel is right within their rounding, and wrong
// where it would show in a sum that does not cancel.
func TestProductsThatCancel(t *testing.T) {
	s := sizes{1, 1, 3}
	in := s.draw(0, func(shape ...int) wire.Value { return wire.Float32s(make([]float32, 3), shape...) })
	copy(in["a"].F32, []float32{1000, 1, -1000})
	copy(in["b"].F32, []float32{1, 0.001, 1})
	sums, terms := s.product(in, nil)
	require.InDelta(t, 0.001, sums[0], 1e-9)
	require.InDelta(t, 2000.001, terms[0], 1e-3)
	const tolerance = 1e-6
	for got, right := range map[float32]bool{0.001 + 1e-4: true, 0.001 + 1e-2: false, float32(math.NaN()): false} {
		d := verdict.CompareSums("c", wire.Float32s([]float32{got}, 1, 1), wire.Floats(sums, 1, 1), tolerance, terms)
		require.Equal(t, right, d == nil, "%g", got)
	}
}
