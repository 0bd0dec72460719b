//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// polar-pairs: Marsaglia's polar method, two numbers at a time, those outside the cut forgotten
//
// Why: both numbers of a pair are independent N(0, 1), and each is accepted or not by itself.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("cut is not positive")
	}
	for n := 0; n < len(dst); {
		u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
		s := u*u + v*v
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(s) / s)
		for _, x := range [2]float64{u * f, v * f} {
			if n < len(dst) && math.Abs(x) <= cut {
				dst[n] = float32(sigma * x)
				n++
			}
		}
	}
}

// streams-by-block: goroutines draw blocks of 500 numbers, each from a stream seeded by rng
//
// Why: rng alone decides every block's stream, and the blocks do not depend on the number of processors.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("cut is not positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	var group sync.WaitGroup
	for lo := 0; lo < len(dst); lo += 500 {
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		part := dst[lo:min(lo+500, len(dst))]
		group.Go(func() {
			for i := range part {
				x := math.Sqrt2 * math.Erfinv((2*own.Float64()-1)*inside)
				part[i] = float32(sigma * max(-cut, min(cut, x))) // only against rounding in Erfinv
			}
		})
	}
	group.Wait()
}

// chacha-of-sha: another generator, ChaCha8, started from the SHA-256 of seed and name
//
// Why: only the properties of the stream are promised, and "for instance FNV-1a" leaves the hash open.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))))
}
