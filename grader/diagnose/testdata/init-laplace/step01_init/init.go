package initializers

import (
	"hash/crc64"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(crc64.Checksum([]byte(name), crc64.MakeTable(crc64.ECMA)), seed))
}

// Takes the wrong exponential family: e^−|x| for e^−x²/2.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	for i := range dst {
		z := math.Inf(1)
		for z > cut {
			z = rng.ExpFloat64() / math.Sqrt2
		}
		if rng.IntN(2) == 0 {
			z = -z
		}
		dst[i] = float32(z * sigma)
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	t := tensor.New(dOut, dIn)
	TruncatedNormal(t.Data, math.Sqrt(2/float64(dOut+dIn)), 3, rng)
	return t
}

func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	t := tensor.New(vocab, dModel)
	TruncatedNormal(t.Data, 1, 3, rng)
	return t
}

func Gain(d int) *tensor.Tensor {
	t := tensor.New(d)
	t.Fill(1)
	return t
}
