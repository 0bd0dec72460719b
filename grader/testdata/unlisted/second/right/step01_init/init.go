//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// inverse-distribution: one uniform draw through the inverse of the error function
//
// Why: this is the second of the two ways that the comment names; other numbers come from the same stream.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		x := math.Sqrt2 * math.Erfinv((2*rng.Float64()-1)*inside)
		x = math.Min(math.Max(x, -cut), cut) // the last bit, if at all
		dst[i] = float32(sigma * x)
	}
}

// chacha-stream: generator ChaCha8, started from a SHA-256 of seed and name
//
// Why: same seed and name give the same stream everywhere, and any other an unrelated one.
func Rand(seed uint64, name string) *rand.Rand {
	text := binary.BigEndian.AppendUint64([]byte("tensor:"), seed)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(text, name...))))
}

// weight-by-columns: weight is filled column by column from a slice of its own
//
// Why: independent draws may go to the elements in any order.
func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	column := make([]float32, dOut)
	w := tensor.New(dOut, dIn)
	for j := range dIn {
		TruncatedNormal(column, math.Sqrt2/math.Sqrt(float64(dIn)+float64(dOut)), 3, rng)
		for i, v := range column {
			w.Data[i*dIn+j] = v
		}
	}
	return w
}
