//go:build unlisted

package initializers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// inverse-distribution: draws by inverting the distribution function, from the back of dst to the front
//
// Why: x = sigma·√2·erfinv(u·erf(cut/√2)) is the second way the stub names; the order of places is free.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if !(cut > 0) {
		panic("TruncatedNormal: cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := len(dst) - 1; i >= 0; i-- {
		u := 0.0
		for u == 0 { // from the open interval
			u = rng.Float64()
		}
		x := math.Sqrt2 * math.Erfinv((2*u-1)*inside)
		x = max(-cut, min(cut, x)) // against the last bit of erfinv only
		dst[i] = float32(sigma * x)
	}
}

// chacha-of-sha256: the stream is ChaCha8, keyed by the SHA-256 of the seed and the name
//
// Why: the same seed and name give the same key, another seed or name an unrelated one; PCG is only a suggestion.
func Rand(seed uint64, name string) *rand.Rand {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = append(text, name...)
	return rand.New(rand.NewChaCha8(sha256.Sum256(text)))
}
