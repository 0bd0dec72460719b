//go:build unlisted

package initializers

import (
	"hash/fnv"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// rand-packs-the-last-eight-bytes: the name is shifted byte by byte into a uint64, so only its last eight bytes count
//
// Why: "blocks.0.attention.wq" and "blocks.1.attention.wq" are two names, but they end alike and get the same stream.
func Rand(seed uint64, name string) *rand.Rand {
	var h uint64
	for i := range len(name) {
		h = h<<8 | uint64(name[i])
	}
	return rand.New(rand.NewPCG(seed, h))
}

// rand-makes-the-seed-odd: the lowest bit of the seed is set, as if it were the increment of a PCG
//
// Why: the seeds 2 and 3, or 10 and 11, give the same stream, although another seed has to give an unrelated one.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(seed|1, h.Sum64()))
	}
}

// rand-hashes-with-the-seed-of-the-process: the name goes through maphash, whose seed every process draws anew
//
// Why: within one run all looks well; run the program twice, and the same seed and name give other numbers.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, maphash.String(hashSeed, name)))
}

var hashSeed = maphash.MakeSeed()

// rand-skips-ahead-in-one-stream: every name starts somewhere else in one and the same stream
//
// Why: the streams of two names differ at their beginnings, but a few thousand draws of one contain the other's number for
// number: they are not unrelated, and the large tensors of a model hold the same numbers, shifted.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, 0))
	for range h.Sum64() % 4099 {
		rng.Uint64()
	}
	return rng
}

// truncated-normal-in-antithetic-pairs: every second element is the negative of the one before it
//
// Why: bounds, mean, deviation and histogram are perfect, but the draws are not independent: dst[1] is -dst[0].
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

// truncated-normal-redraws-from-the-package: only the draws that replace a far one come from the global source
//
// Why: the same seed gives the same tensor but for about one element in 370, which differs from run to run.
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

// truncated-normal-gives-up: after 100 draws outside the cut the element becomes 0
//
// Why: at a cut of 3 that never happens; at 0.02 one element in five is exactly 0, which the density does not allow.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for try := 1; math.Abs(x) > cut; try++ {
			if try == 100 {
				x = 0
				break
			}
			x = rng.NormFloat64()
		}
	}
}

// truncated-normal-by-as-many-workers-as-processors: each of GOMAXPROCS workers fills its share from a stream of its own
//
// Why: the same seed gives other numbers with another GOMAXPROCS, that is on another machine.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	workers := runtime.GOMAXPROCS(0)
	share := (len(dst) + workers - 1) / workers
	var wg sync.WaitGroup
	for lo := 0; lo < len(dst); lo += share {
		part, own := dst[lo:min(lo+share, len(dst))], rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range part {
				x := own.NormFloat64()
				for math.Abs(x) > cut {
					x = own.NormFloat64()
				}
				part[i] = float32(sigma * x)
			}
		}()
	}
	wg.Wait()
}

// truncated-normal-makes-up-for-the-cut: the deviation is raised to what the cut takes away, the bounds stay
//
// Why: no draw leaves ±cut·sigma, but at a cut of 3 the standard deviation is 0.9986·sigma in place of 0.9866·sigma, and at
// a cut of 1 the draws are nearly uniform.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	phi := math.Exp(-cut*cut/2) / math.Sqrt(2*math.Pi)
	wider := 1 / math.Sqrt(1-2*cut*phi/math.Erf(cut/math.Sqrt2))
	for i := range dst {
		x := wider * rng.NormFloat64()
		for math.Abs(x) > cut {
			x = wider * rng.NormFloat64()
		}
		dst[i] = float32(sigma * x)
	}
}

// gain-is-shared-by-size: the ones of a size are made once and handed out again
//
// Why: Gain returns a new tensor; here two layers of the same width share one, and training the first changes the second.
func Gain(d int) *tensor.Tensor {
	gainsMu.Lock()
	defer gainsMu.Unlock()
	if g, ok := gains[d]; ok {
		return g
	}
	g := tensor.New(d)
	g.Fill(1)
	gains[d] = g
	return g
}

var gains = map[int]*tensor.Tensor{}

var gainsMu sync.Mutex
