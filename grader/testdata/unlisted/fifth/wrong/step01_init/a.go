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

// jump-ahead-streams: the name only says how many numbers of the seed's one stream are skipped
//
// Why: two names read the same numbers from another place on, which Rand excludes.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, 0))
	for range h.Sum64() % 4096 {
		rng.Uint64()
	}
	return rng
}

// seed-low-32-bits: only the lower half of the seed is used
//
// Why: seeds that differ above bit 31 give the same stream, though another seed must give an unrelated one.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(h.Sum64(), uint64(int32(seed))))
	}
}

// name-first-eight-bytes: the first eight bytes of the name are taken for its hash
//
// Why: layers.0.wq and layers.1.wk share a stream, though another name must give an unrelated one.
func Rand(seed uint64, name string) *rand.Rand {
	var key [8]byte
	copy(key[:], name)
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(key[:])))
}

// streams-cached: the stream of a seed and name is made once and handed out again
//
// Why: the second call goes on where the first stopped; the same seed and name must give the same numbers every time.
type streamKey struct {
	seed uint64
	name string
}

var streams sync.Map

func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	s, _ := streams.LoadOrStore(streamKey{seed, name}, rand.New(rand.NewPCG(seed, h.Sum64())))
	return s.(*rand.Rand)
}

// redraw-from-global-rand: a rejected draw is repeated with the package's own generator
//
// Why: rng is the only source of chance; one number in 370 differs from run to run.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for math.Abs(x) > cut {
			x = rand.NormFloat64()
		}
	}
}

// gives-up-after-eight: after eight rejected draws the number is moved to the edge
//
// Why: with a cut of 0.5 one number in a hundred is exactly ±cut·sigma; the density has no such spikes.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for try := 0; math.Abs(x) > cut && try < 8; try++ {
			x = rng.NormFloat64()
		}
		x = max(-cut, min(cut, x))
	}
}

// erf-of-cut-without-root: inverts the distribution function with erf(cut) instead of erf(cut/√2)
//
// Why: the numbers reach √2·cut·sigma, beyond the cut.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	inside := math.Erf(cut)
	for i := range dst {
		u := 2*rng.Float64() - 1
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u*inside))
	}
}

// pairs-leave-the-last: Box-Muller fills two places at a time and leaves the last of an odd length
//
// Why: every element of dst is overwritten; the last of 7 keeps what it held.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	for i := 0; i+1 < len(dst); {
		radius := math.Sqrt(-2 * math.Log(1-rng.Float64()))
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		a, b := radius*cos, radius*sin
		if math.Abs(a) > cut || math.Abs(b) > cut {
			continue
		}
		dst[i], dst[i+1] = float32(sigma*a), float32(sigma*b)
		i += 2
	}
}

// cut-times-sigma-twice: LinearWeight passes 3σ as the cut, which is already in units of σ
//
// Why: the numbers end at 3σ², far inside ±3σ, and their deviation is much less than σ.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 3*sigma, rng)
	}
}

// padding-row: row 0 of the embedding table is set to zero, as for a padding token
//
// Why: every row is drawn from N(0, 1); token 0 is a token like any other.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1, 3, rng)
		if vocab > 0 {
			clear(w.Row(0))
		}
	}
}

// gain-shared: gains of the same length are one tensor
//
// Why: Gain returns a new tensor; training one layer's gain changes that of all others.
var gains sync.Map

func Gain(d int) *tensor.Tensor {
	g := tensor.New(d)
	g.Fill(1)
	shared, _ := gains.LoadOrStore(d, g)
	return shared.(*tensor.Tensor)
}
