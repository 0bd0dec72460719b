//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// both-from-sha256: both numbers of the generator are from the SHA-256 of the seed and the name
//
// Why: the same seed and name hash to the same 16 bytes, and any other seed or name to others.
func Rand(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])))
}

// inverse-distribution: every number is one uniform draw through the inverse distribution function
//
// Why: the second of the two ways that the stub names.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("TruncatedNormal: nothing lies within this cut")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := len(dst) - 1; i >= 0; i-- {
		u := 0.0
		for u == 0 {
			u = rng.Float64()
		}
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv((2*u-1)*inside))
	}
}

// polar-method: normal draws come in pairs from Marsaglia's polar method
//
// Why: both numbers of a pair are independent and N(0, 1); those from outside the cut are dropped one by one, so the
// condition is met as with NormFloat64. LinearWeight goes by the variance and fills the matrix column by column.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut is not positive")
	}
	for left := dst; len(left) > 0; {
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		q := a*a + b*b
		if q == 0 || q >= 1 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(q) / q)
		for _, x := range [2]float64{a * f, b * f} {
			if len(left) > 0 && x >= -cut && x <= cut {
				left[0] = float32(x * sigma)
				left = left[1:]
			}
		}
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	variance := 1 / (0.5*float64(dIn) + 0.5*float64(dOut))
	w, column := tensor.New(dOut, dIn), make([]float32, dOut)
	for j := range dIn {
		TruncatedNormal(column, math.Pow(variance, 0.5), 3, rng)
		for i, v := range column {
			w.Data[i*dIn+j] = v
		}
	}
	return w
}
