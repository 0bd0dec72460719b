package initializers

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step01_init/README.md.
func TestWorkedExample(t *testing.T) {
	t.Run("a weight of 2x2", func(t *testing.T) {
		rng := Rand(14, "example")
		draws := make([]float64, 5)
		for i := range draws {
			draws[i] = rng.NormFloat64()
		}
		require.Equal(t, "[-0.9569 -3.3111 0.9090 -0.0190 -1.0683]", fmt.Sprintf("%.4f", draws))

		w := LinearWeight(2, 2, Rand(14, "example"))
		require.Equal(t, []int{2, 2}, w.Shape)
		require.Equal(t, "[-0.6766 0.6428 -0.0134 -0.7554]", fmt.Sprintf("%.4f", w.Data))
	})

	t.Run("what the cut takes away", func(t *testing.T) {
		require.Equal(t, "0.9973 0.9733 0.9866", fmt.Sprintf("%.4f %.4f %.4f",
			math.Erf(3/math.Sqrt2), cutVariance(3), math.Sqrt(cutVariance(3))))

		x := make([]float32, 1_000_000)
		TruncatedNormal(x, 1, 3, Rand(1, "variance"))
		require.InDelta(t, cutVariance(3), meanSquare(x), 0.005)
		require.Equal(t, "0.8796", fmt.Sprintf("%.4f", math.Sqrt(cutVariance(2))))
	})

	t.Run("twenty layers", func(t *testing.T) {
		want := map[float64]string{0.02: "1.3e-10", 0.0625: "1", 0.1: "1.2e+04"}
		for sigma, factor := range want {
			require.Equal(t, factor, fmt.Sprintf("%.2g", math.Pow(math.Sqrt(256)*sigma, 20)))
		}
		require.Equal(t, "0.763", fmt.Sprintf("%.3f", math.Pow(cutVariance(3), 10)))
		require.Equal(t, "0.69", fmt.Sprintf("%.2f", rmsAfter(20, 256)))
	})
}

// cutVariance is the variance of N(0, 1) cut at ±c: 1 − 2c·φ(c)/(2Φ(c) − 1).
func cutVariance(c float64) float64 {
	phi := math.Exp(-c*c/2) / math.Sqrt(2*math.Pi)
	return 1 - 2*c*phi/math.Erf(c/math.Sqrt2)
}

// rmsAfter sends 64 rows of N(0, 1) through layers of width d and returns the
// root mean square of what comes out.
func rmsAfter(layers, d int) float64 {
	x := tensor.New(64, d)
	for i, rng := 0, Rand(1, "x"); i < x.Len(); i++ {
		x.Data[i] = float32(rng.NormFloat64())
	}
	for i := range layers {
		y := tensor.New(64, d)
		tensor.Mul(y.Matrix(), x.Matrix(), LinearWeight(d, d, Rand(1, fmt.Sprint("layer", i))).Matrix().T())
		x = y
	}
	return math.Sqrt(meanSquare(x.Data))
}

func meanSquare(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum / float64(len(x))
}
