package answers

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSurprise(t *testing.T) {
	require.InDelta(t, math.Log(4), Surprise([]float32{2, 2, 2, 2}, 1), 1e-12)
	require.InDelta(t, -math.Log(0.9), Surprise([]float32{0, float32(math.Log(9))}, 1), 1e-6)
	require.InDelta(t, 2000, Surprise([]float32{1000, -1000}, 1), 1e-9)
}
