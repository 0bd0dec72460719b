//go:build unlisted

package initializers

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// seed-low-32-bits: only the low 32 bits of the seed reach the generator
//
// Why: the seed goes through a uint32, so two seeds that differ above bit 31 give the same stream for a name.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(uint64(uint32(seed)), h.Sum64()))
	}
}

// name-first-eight-bytes: the first eight bytes of the name take the place of its hash
//
// Why: names that begin with the same eight bytes, as blocks.0.w1 and blocks.0.w2 do, get the same stream.
func Rand(seed uint64, name string) *rand.Rand {
	var first [8]byte
	copy(first[:], name)
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(first[:])))
}

// seed-times-hash: seed and hash of the name are multiplied into one number
//
// Why: with seed 0 the product is 0 for every name, so all tensors of that seed get one and the same stream.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		state := seed * h.Sum64()
		return rand.New(rand.NewPCG(state, state))
	}
}

// seed-appended-to-name: the seed is written in decimal behind the name and both are hashed as one word
//
// Why: name w1 with seed 2 and name w with seed 12 are both the word w12, and get the same stream.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s%d", name, seed)
	return rand.New(rand.NewPCG(0, h.Sum64()))
}

// streams-kept: the generator of a seed and name is made once and returned again
//
// Why: a second Rand with the same seed and name returns the used generator, whose stream goes on instead of
// beginning again, so the numbers are not the same every time.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		key := fmt.Sprintf("%d/%s", seed, name)
		stream, _ := streams.LoadOrStore(key, rand.New(rand.NewPCG(seed, h.Sum64())))
		return stream.(*rand.Rand)
	}
}

var streams sync.Map

// only-right-tail-cut: only draws above +cut are repeated
//
// Why: the absolute value is missing in the comparison, so numbers below −cut·sigma remain and the mean is not 0.
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

// halved-until-inside: a draw from outside the cut is halved until it is inside
//
// Why: the tails are moved to between cut/2 and cut instead of being drawn again; the density there is too high, the
// more so the tighter the cut.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for math.Abs(x) > cut {
			x /= 2
		}
	}
}

// one-second-chance: a draw from outside the cut is repeated once and then taken as it is
//
// Why: an if stands where the loop should be; about one number in 137,000 at cut 3, and many at a small cut, lie
// outside ±cut·sigma.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		if math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	}
}

// sigma-made-up-for-the-cut: sigma is divided by the standard deviation that the cut leaves
//
// Why: the numbers have the standard deviation sigma after the cut and not before it: at cut 3 everything is 1.4 % too
// large and reaches beyond ±cut·sigma.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
		phi := math.Exp(-cut*cut/2) / math.Sqrt(2*math.Pi)
		sigma /= math.Sqrt(1 - 2*cut*phi/math.Erf(cut/math.Sqrt2))
	}
}

// inverse-without-root-two: the inverse distribution function lacks the factor √2
//
// Why: x = sigma·erfinv(u·erf(cut/√2)): everything is too small by √2, the spread and the largest number alike.
func TruncatedNormal() {
	if right {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
		dst[i] = float32(sigma * x)
	} else {
		u := 2*rng.Float64() - 1
		dst[i] = float32(sigma * math.Erfinv(u*math.Erf(cut/math.Sqrt2)))
	}
}

// variance-in-whole-numbers: variance 2/(dIn + dOut) is divided as integers
//
// Why: the quotient is 0 for every layer larger than 1 by 1, so sigma is 0 and the weight is all zeros.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(float64(2 / (dIn + dOut)))
	}
}

// embedding-by-root-of-width: table is drawn with the sigma 1/√D instead of 1
//
// Why: the embedding is scaled like the weight of a layer that sums over D, so it is too small by √D and cut at ±3/√D.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1/math.Sqrt(float64(dModel)), 3, rng)
	}
}

// one-gain-per-length: gains of the same length are one tensor
//
// Why: the ones are kept and returned again, so a second Gain(d) is not a new tensor: whoever changes one gain changes
// all of that length, and later ones do not begin with ones.
func Gain(d int) *tensor.Tensor {
	if g, ok := gains.Load(d); ok {
		return g.(*tensor.Tensor)
	}
	g := tensor.New(d)
	g.Fill(1)
	gains.Store(d, g)
	return g
}

var gains sync.Map
