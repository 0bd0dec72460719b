//go:build unlisted

package initializers

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// seed-low-half: only the lower 32 bits of the seed are used
//
// Why: Two seeds that differ only above bit 31, such as 1 and 1<<32+1, give the same stream.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(uint64(uint32(seed)), h.Sum64()))
	}
}

// name-letter-sum: the hash of the name is the sum of its letters
//
// Why: Names with the same letters in another order, such as layers.1.ffn.w2 and layers.2.ffn.w1, share one stream.
func Rand(seed uint64, name string) *rand.Rand {
	sum := uint64(0)
	for i := range len(name) {
		sum += uint64(name[i])
	}
	return rand.New(rand.NewPCG(seed, sum))
}

// name-first-eight: the first eight bytes of the name are taken as the number
//
// Why: Names that begin alike share one stream: all tensors of layers.0 get the same numbers.
func Rand(seed uint64, name string) *rand.Rand {
	var key [8]byte
	copy(key[:], name)
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(key[:])))
}

// name-length: the name counts with its length only
//
// Why: All names of the same length share one stream.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(len(name))))
}

// name-ignored: the seed is used for both halves of the generator's state, the name not at all
//
// Why: Every tensor of a model gets the same numbers, because the name makes no difference.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, seed))
}

// seed-ignored: the generator starts from the name alone
//
// Why: Another seed gives the same stream.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(0, h.Sum64()))
}

// stream-kept: generators are kept in a map and handed out again where they stopped
//
// Why: The second call with the same seed and name goes on with the first call's stream instead of beginning it again.
func Rand(seed uint64, name string) *rand.Rand {
	streamsMu.Lock()
	defer streamsMu.Unlock()
	key := streamKey{seed, name}
	if r, ok := streams[key]; ok {
		return r
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	streams[key] = r
	return r
}

type streamKey struct {
	seed uint64
	name string
}

var (
	streamsMu sync.Mutex
	streams   = map[streamKey]*rand.Rand{}
)

// tails-moved-to-edge: draws outside the cut are set to ±cut
//
// Why: The whole probability of the tails lies on the two numbers ±cut·sigma instead of being drawn again.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		x = max(-cut, min(cut, x))
	}
}

// upper-tail-only: only draws above the cut are rejected
//
// Why: Numbers below −cut·sigma occur, because the size of a negative draw is not looked at.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for x > cut {
			x = rng.NormFloat64()
		}
	}
}

// last-never-written: the loop stops one element early
//
// Why: The last element of dst keeps what it held before.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	for i := 0; i < len(dst)-1; i++ {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
		dst[i] = float32(sigma * x)
	}
}

// antithetic-pairs: every draw is used twice, the second time with its sign turned
//
// Why: The draws are not independent: every odd element is minus the one before it.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	for i := 0; i < len(dst); i += 2 {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
		dst[i] = float32(sigma * x)
		if i+1 < len(dst) {
			dst[i+1] = float32(-sigma * x)
		}
	}
}

// inverse-half-only: u is drawn from (0, 1) and not from (−1, 1)
//
// Why: No draw is ever negative: only the upper half of the distribution is reached.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	for i := range dst {
		u := rng.Float64()
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u*math.Erf(cut/math.Sqrt2)))
	}
}

// own-generator: numbers come from a generator that is made inside, not from rng
//
// Why: Two calls with different generators, or one after the other with the same, fill dst with the same numbers; rng does not move.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	local := rand.New(rand.NewPCG(42, 1024))
	for i := range dst {
		x := local.NormFloat64()
		for math.Abs(x) > cut {
			x = local.NormFloat64()
		}
		dst[i] = float32(sigma * x)
	}
}

// glorot-uniform: weights are drawn from the uniform distribution of the same variance
//
// Why: LinearWeight draws uniformly from ±√(6/(dIn+dOut)) and not from a truncated normal: nothing lies further out than 1.73σ.
func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	w := tensor.New(dOut, dIn)
	limit := math.Sqrt(6 / float64(dIn+dOut))
	for i := range w.Data {
		w.Data[i] = float32(limit * (2*rng.Float64() - 1))
	}
	return w
}
