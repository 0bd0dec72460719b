//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// inverts-and-streams-from-chacha: SHA-256 of seed and name starts a ChaCha8, the draws invert the distribution function
//
// Why: any stream that depends on all of seed and name will do, and the inversion is the second way that the stub names.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))))
}

func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("TruncatedNormal: cut is not positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		u := 2*rng.Float64() - 1
		for u == -1 {
			u = 2*rng.Float64() - 1
		}
		x := math.Sqrt2 * math.Erfinv(u*inside)
		dst[i] = float32(sigma * math.Max(-cut, math.Min(cut, x)))
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	data := make([]float32, dIn*dOut)
	TruncatedNormal(data, math.Sqrt2/math.Sqrt(float64(dOut)+float64(dIn)), 3, rng)
	return tensor.From(data, dOut, dIn)
}

// polar-pairs-backwards: Marsaglia's polar method fills dst from its end; a tight cut takes uniform proposals instead
//
// Why: both numbers of a polar pair are independent normal draws; and a uniform proposal accepted with the chance
// exp(-x²/2) has the density of the truncated normal (Robert, 1995).
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("the cut has to be positive")
	}
	var spare []float64
	draw := func() float64 {
		if cut < 1 {
			for {
				if x := cut * (2*rng.Float64() - 1); rng.Float64() < math.Exp(-x*x/2) {
					return x
				}
			}
		}
		for {
			for len(spare) > 0 {
				x := spare[len(spare)-1]
				spare = spare[:len(spare)-1]
				if -cut <= x && x <= cut {
					return x
				}
			}
			u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
			if s := u*u + v*v; 0 < s && s < 1 {
				f := math.Sqrt(-2 * math.Log(s) / s)
				spare = append(spare, u*f, v*f)
			}
		}
	}
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = float32(draw() * sigma)
	}
}

func Gain(d int) *tensor.Tensor {
	g := make([]float32, d)
	for i := range g {
		g[i] = 1
	}
	return tensor.From(g, d)
}
