// Package initializers draws through the inverse of the distribution function,
// from a generator that starts from a checksum.
package initializers

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d of %s", seed, name))))
}

func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("the cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		u := 1 - 2*rng.Float64()
		for math.Abs(u) >= 1 {
			u = 1 - 2*rng.Float64()
		}
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u*inside))
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	return drawn(math.Sqrt(2/float64(dIn+dOut)), rng, dOut, dIn)
}

func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	return drawn(1, rng, vocab, dModel)
}

func drawn(sigma float64, rng *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.New(shape...)
	TruncatedNormal(t.Data, sigma, 3, rng)
	return t
}

func Gain(d int) *tensor.Tensor {
	ones := tensor.New(d)
	ones.Fill(1)
	return ones
}
