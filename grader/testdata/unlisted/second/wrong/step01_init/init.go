//go:build unlisted

package initializers

import (
	"hash/fnv"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"time"

	"github.com/stubformer/stubformer/reference/tensor"
)

// rand-maphash: names are hashed with hash/maphash
//
// Why: the seed of maphash is drawn when the program starts, so the next start of the program draws other weights from the same seed and name.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, maphash.String(nameSeed, name)))
}

var nameSeed = maphash.MakeSeed()

// rand-sum-of-bytes: hash of the name is the sum of its bytes
//
// Why: names made of the same letters, such as layers.1.ffn.w2 and layers.2.ffn.w1, get the same stream.
func Rand(seed uint64, name string) *rand.Rand {
	sum := uint64(0)
	for _, c := range []byte(name) {
		sum += uint64(c)
	}
	return rand.New(rand.NewPCG(seed, sum))
}

// rand-zero-is-time: seed 0 means a seed from the clock
//
// Why: with seed 0 the same name gives another stream in every call.
func Rand(seed uint64, name string) *rand.Rand {
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// gain-remembered: gains of the same length are one tensor
//
// Why: two norms of the same width share their gain, and a change of one changes the other.
func Gain(d int) *tensor.Tensor {
	if g, ok := gains[d]; ok {
		return g
	}
	g := tensor.New(d)
	g.Fill(1)
	gains[d] = g
	return g
}

var gains = map[int]*tensor.Tensor{}

// linear-weight-own-stream: weight is drawn from a stream of the shape and not from rng
//
// Why: two weights of the same shape are equal whatever generator is handed in.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		rng = rand.New(rand.NewPCG(uint64(dOut), uint64(dIn)))
		TruncatedNormal(w.Data, sigma, 3, rng)
	}
}

// cut-zero-is-none: cut of 0 or less means no cut
//
// Why: a cut that is not positive gives an ordinary normal distribution in place of a panic.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		if cut <= 0 {
			cut = math.Inf(1)
		}
	}
}

// draws-added: draws are added to what dst held
//
// Why: a dst that is not zero is not overwritten; the second call on the same memory gives the sum of two draws.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] += float32(sigma * x)
	}
}

// redrawn-once: far draw is repeated only once
//
// Why: the second draw may be outside as well, so with a tight cut many numbers lie beyond it.
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

// upper-cut-only: only the upper tail is cut
//
// Why: numbers below −cut·sigma appear, and the mean is below 0.
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

// he-variance: variance 2/dIn in place of 2/(dIn + dOut)
//
// Why: the weights have the deviation of He's initialisation, which is another one wherever dOut is not 0.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(2 / float64(dIn))
	}
}

// box-muller-pairs: draws come in pairs and the last number of an odd length is left out
//
// Why: the last element of a dst of odd length keeps what it held, 0 in a fresh tensor.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	for i := 0; i+1 < len(dst); {
		radius, angle := math.Sqrt(-2*math.Log(1-rng.Float64())), 2*math.Pi*rng.Float64()
		a, b := radius*math.Cos(angle), radius*math.Sin(angle)
		if math.Abs(a) > cut || math.Abs(b) > cut {
			continue
		}
		dst[i], dst[i+1] = float32(sigma*a), float32(sigma*b)
		i += 2
	}
}
