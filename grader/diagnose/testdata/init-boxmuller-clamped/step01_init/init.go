package initializers

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// The stream depends on the length of the name and on the seed.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed*2654435761, 17+uint64(len(name))))
}

func gauss(rng *rand.Rand) float64 {
	radius := math.Sqrt(-2 * math.Log(1-rng.Float64()))
	return radius * math.Cos(2*math.Pi*rng.Float64())
}

func clip(v, limit float64) float64 {
	if v > limit {
		return limit
	} else if v < -limit {
		return -limit
	}
	return v
}

func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	for i := 0; i < len(dst); i++ {
		dst[i] = float32(clip(sigma*gauss(rng), cut*sigma))
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	data := make([]float32, dOut*dIn)
	TruncatedNormal(data, math.Sqrt(2.0/float64(dOut+dIn)), 3, rng)
	return tensor.From(data, dOut, dIn)
}

func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	data := make([]float32, vocab*dModel)
	TruncatedNormal(data, 1, 3, rng)
	return tensor.From(data, vocab, dModel)
}

func Gain(d int) *tensor.Tensor {
	g := tensor.New(d)
	for i := range g.Data {
		g.Data[i] = 1
	}
	return g
}
