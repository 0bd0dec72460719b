//go:build unlisted

package initializers

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
)

// name-letters-summed: the name is hashed by adding up its bytes
//
// Why: "layer12" and "layer21" get the same stream, though another name promises an unrelated one.
func Rand(seed uint64, name string) *rand.Rand {
	var h uint64
	for _, c := range []byte(name) {
		h += uint64(c)
	}
	return rand.New(rand.NewPCG(seed, h))
}

// stream-skips-ahead: every name begins at another place of the one stream of the seed
//
// Why: two names give the same numbers from another place on, which the comment rules out by name.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed, 0))
	for range h.Sum64() % 1024 {
		r.Uint64()
	}
	return r
}

// seed-of-32-bits: the upper half of the seed is thrown away
//
// Why: the seeds 7 and 7+2³² give the same stream; another seed promises another.
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(uint32(seed)), h.Sum64()))
}

// name-first-eight-bytes: the first eight bytes of the name are taken for its hash
//
// Why: "blocks.0.wq" and "blocks.0.wk" draw the same matrix; another name promises an unrelated stream.
func Rand(seed uint64, name string) *rand.Rand {
	var first [8]byte
	copy(first[:], name)
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(first[:])))
}

// streams-kept: one generator for each seed and name is kept and handed out again
//
// Why: the second Rand(1, "w") goes on where the first stopped; the same seed and name must give the same numbers every time.
func Rand(seed uint64, name string) *rand.Rand {
	streamsMu.Lock()
	defer streamsMu.Unlock()
	key := fmt.Sprint(seed, "/", name)
	if r, ok := streams[key]; ok {
		return r
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	streams[key] = r
	return r
}

var (
	streamsMu sync.Mutex
	streams   = map[string]*rand.Rand{}
)

// hash-of-the-process: the name is hashed with hash/maphash, whose seed is drawn anew by every process
//
// Why: the same seed gives another model in the next run and on another machine.
func Rand(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, maphash.String(nameSeed, name)))
}

var nameSeed = maphash.MakeSeed()

// redrawn-once: a draw from outside is repeated once only
//
// Why: with a tight cut many numbers still lie outside ±cut·sigma, where the density is 0.
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

// redrawn-from-the-package: the second draw comes from the package-level generator
//
// Why: rng is no longer the only source of chance; the same seed gives other numbers wherever a draw was repeated.
func TruncatedNormal() {
	if right {
		x = rng.NormFloat64()
	} else {
		x = rand.NormFloat64()
	}
}

// upper-tail-only: only draws above the cut are repeated
//
// Why: numbers below −cut·sigma come out, and the mean is below 0.
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

// zero-cut-gives-zeros: inverts the distribution function and refuses only a negative cut
//
// Why: a cut of 0 is not positive and must panic; here dst is filled with zeros.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut < 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		u := 2*rng.Float64() - 1
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(u*inside))
	}
}

// negative-cut-made-positive: takes the absolute value of cut before it looks at it
//
// Why: cut = −3 is not positive and must panic; here it means 3.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		cut = math.Abs(cut)
		if cut == 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	}
}

// inverse-of-half-the-range: inverts the distribution function with u from [0, 1)
//
// Why: no number is ever negative.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive")
	}
	inside := math.Erf(cut / math.Sqrt2)
	for i := range dst {
		dst[i] = float32(sigma * math.Sqrt2 * math.Erfinv(rng.Float64()*inside))
	}
}

// pairs-mirrored: every draw is used twice, once with each sign, so that the mean is exactly 0
//
// Why: dst[2i+1] is −dst[2i]; every element should be an independent draw.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		if i%2 == 1 {
			dst[i] = -dst[i-1]
			continue
		}
		dst[i] = float32(sigma * x)
	}
}

// sample-standardised: afterwards the sample gets the mean 0 and the deviation sigma exactly
//
// Why: the numbers are multiplied to make up for the cut, leave ±cut·sigma and depend on each other.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
	}
	draws := make([]float64, len(dst))
	var sum, squares float64
	for i := range draws {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
		draws[i] = x
		sum += x
	}
	mean := sum / float64(len(dst))
	for _, x := range draws {
		squares += (x - mean) * (x - mean)
	}
	scale := 1.0
	if squares > 0 {
		scale = 1 / math.Sqrt(squares/float64(len(dst)))
	}
	for i, x := range draws {
		dst[i] = float32(sigma * scale * (x - mean))
	}
}

// chunks-by-processors: the work is divided among GOMAXPROCS goroutines, each with a stream of its own
//
// Why: the same seed gives another model on a machine with another number of processors.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
	}
	workers := runtime.GOMAXPROCS(0)
	size := (len(dst) + workers - 1) / workers
	var group sync.WaitGroup
	for lo := 0; lo < len(dst); lo += size {
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		part := dst[lo:min(lo+size, len(dst))]
		group.Go(func() {
			for i := range part {
				x := own.NormFloat64()
				for math.Abs(x) > cut {
					x = own.NormFloat64()
				}
				part[i] = float32(sigma * x)
			}
		})
	}
	group.Wait()
}

// linear-cut-at-two: the weight of a linear layer is cut at ±2σ, as in TensorFlow
//
// Why: the largest weights lie at 2σ and not at 3σ, the deviation is 0.88·σ.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 2, rng)
	}
}

// linear-uniform: Glorot's uniform distribution in place of the normal one
//
// Why: the variance is right and the distribution is not: nothing lies beyond √3·σ.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		limit := math.Sqrt(6 / float64(dIn+dOut))
		for i := range w.Data {
			w.Data[i] = float32(limit * (2*rng.Float64() - 1))
		}
	}
}

// linear-memory-reused: every weight is drawn into the memory of the one before
//
// Why: LinearWeight promises a new tensor; the second call changes the first one's numbers and shape.
func LinearWeight() {
	if right {
		w := tensor.New(dOut, dIn)
	} else {
		lastWeight = tensor.Reuse(lastWeight, dOut, dIn)
		w := lastWeight
	}
}

var lastWeight *tensor.Tensor

// embedding-divided-by-root-d: the table is drawn with σ = 1/√D
//
// Why: the table should be N(0, 1); a look-up sums nothing.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1/math.Sqrt(float64(dModel)), 3, rng)
	}
}

// gain-one-tensor: one tensor of ones for each width is kept and handed to everybody
//
// Why: Gain promises a new tensor; when one layer trains its gain, all others change.
func Gain(d int) *tensor.Tensor {
	g, ok := gains[d]
	if !ok {
		g = tensor.New(d)
		g.Fill(1)
		gains[d] = g
	}
	return g
}

var gains = map[int]*tensor.Tensor{}
