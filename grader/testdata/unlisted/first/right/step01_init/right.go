//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// inverse-distribution: TruncatedNormal by the inverse of the distribution function
//
// Why: Right: the second way of the stub's comment, one uniform number for each draw.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("TruncatedNormal: cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		u := 2*rng.Float64() - 1
		for u == -1 {
			u = 2*rng.Float64() - 1
		}
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u*inside))
	}
}

// sha-stream: Rand with SHA-256 of seed and name in both halves of the generator's state
//
// Why: Right: equal for equal seed and name, unrelated otherwise; the hash is free.
func Rand(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// polar-from-the-end: Marsaglia's polar method, dst filled from its end by a recursion
//
// Why: Right: every element is an independent draw that was rejected until it lay inside.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	if len(dst) > 1 {
		TruncatedNormal(dst[len(dst)/2:], sigma, cut, rng)
		TruncatedNormal(dst[:len(dst)/2], sigma, cut, rng)
		return
	}
	for i := range dst {
		for {
			a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
			s := a*a + b*b
			if s >= 1 || s == 0 {
				continue
			}
			if x := a * math.Sqrt(-2*math.Log(s)/s); math.Abs(x) <= cut {
				dst[i] = float32(sigma * x)
				break
			}
		}
	}
}

// gain-by-append: Gain's ones are appended one by one
//
// Why: Right: a new tensor of ones.
func Gain(d int) *tensor.Tensor {
	ones := []float32{}
	for range d {
		ones = append(ones, 1)
	}
	return tensor.From(ones, d)
}
