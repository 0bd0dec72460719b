package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

func Rand(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256([]byte(name))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:])))
}

// The inverse of the distribution function, at a uniform number between the
// values it has at the two cuts.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	half := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		u := (2*rng.Float64() - 1) * half
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u))
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	t := tensor.New(dOut, dIn)
	std := math.Pow(2/float64(dIn), 0.5) // Kaiming
	TruncatedNormal(t.Data, std, 3, rng)
	return t
}

func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	t := tensor.New(vocab, dModel)
	TruncatedNormal(t.Data, 1, 3, rng)
	return t
}

func Gain(d int) *tensor.Tensor {
	ones := make([]float32, d)
	for i := range ones {
		ones[i]++
	}
	return tensor.From(ones, d)
}
