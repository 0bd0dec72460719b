package rmsnorm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step04_rmsnorm/README.md.
func TestWorkedExample(t *testing.T) {
	g := tensor.NewParam("g", tensor.From([]float32{2, 0.5}, 2))
	l := New(g)

	y := l.Forward(tensor.From([]float32{3, 4, 0.003, -0.001}, 2, 2))
	require.Equal(t, "[0.2828 258.1989]", fmt.Sprintf("%.4f", l.r))
	require.Equal(t, "[1.6971 0.5657 1.5492 -0.1291]", fmt.Sprintf("%.4f", y.Data))

	dx := l.Backward(tensor.From([]float32{1, 2, 0.01, -0.03}, 2, 2))
	require.Equal(t, "[0.2263 -0.1697 3.2275 -3.2275]", fmt.Sprintf("%.4f", dx.Data))
	require.Equal(t, "[0.8563 2.2705]", fmt.Sprintf("%.4f", g.Grad.Data))

	t.Run("where Eps stands", func(t *testing.T) {
		mean := (0.003*0.003 + 0.001*0.001) / 2
		for h, root := range map[string]float64{
			"0.7746 -0.2582": math.Sqrt(mean + Eps),
			"1.3416 -0.4472": math.Sqrt(mean),
			"1.3357 -0.4452": math.Sqrt(mean) + Eps,
		} {
			require.Equal(t, h, fmt.Sprintf("%.4f %.4f", 0.003/root, -0.001/root))
		}
	})

	t.Run("a nudge of x", func(t *testing.T) {
		loss := func(x0 float32) float32 { // a loss whose gradient with respect to y is dy = (1, 2)
			y := l.Forward(tensor.From([]float32{x0, 4}, 1, 2))
			return y.Data[0] + 2*y.Data[1]
		}
		require.Equal(t, "2.80516 2.85043", fmt.Sprintf("%.5f %.5f", loss(2.9), loss(3.1)))
	})
}
