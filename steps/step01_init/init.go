// Package initializers draws the first values of every parameter of the model.
// This is step 01; the lesson is in README.md beside this file.
//
// Letters: D d_model, V vocabulary. Weights of a linear layer are (out, in).
//
// Everything random comes from a *rand.Rand of math/rand/v2 that is handed in.
// Nothing here reads a clock or the package-level functions of math/rand: the
// same seed gives the same model, today and on another machine, however many
// processors it has.
package initializers

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Rand returns the random stream of one tensor. The same seed and name give
// the same stream of numbers every time; another seed or another name gives an
// unrelated one, and not the same numbers from another place on. Adding a layer
// to a model then does not change what the others draw.
//
// How: rand.NewPCG takes two numbers to start from. Give it the seed and a
// 64-bit hash of the name, for instance FNV-1a (package hash/fnv, New64a), and
// wrap it with rand.New.
//
// Source: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
// Good Algorithms for Random Number Generation", 2014.
func Rand(seed uint64, name string) *rand.Rand {
	panic(tensor.TODO("step01: Rand"))
}

// TruncatedNormal overwrites every element of dst with an independent draw
// from the normal distribution N(0, sigma²) under the condition that
// |x| ≤ cut·sigma:
//
//	density(x) = φ(x/sigma) / (sigma · (2Φ(cut) − 1))  for |x| ≤ cut·sigma, else 0
//
// φ and Φ are the density and the distribution function of N(0, 1). sigma is
// the standard deviation before the cut; nothing is multiplied to make up for
// the little that the cut takes away. A draw from outside is not moved to the
// edge: that would pile up the tails on the two numbers ±cut·sigma. Two ways
// are right:
//
//   - draw from N(0, 1) (rng.NormFloat64) again and again until the number
//     lies within ±cut, then multiply by sigma;
//   - draw u uniformly from (−1, 1) and take
//     x = sigma·√2·erfinv(u·erf(cut/√2)) (math.Erf, math.Erfinv).
//
// Compute in float64 and round to float32 when writing to dst. rng is the only
// source of chance. It panics, with any message, if cut is not positive.
//
// Source: Robert, "Simulation of truncated normal variables", 1995.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	panic(tensor.TODO("step01: TruncatedNormal"))
}

// LinearWeight returns a new tensor (dOut, dIn), the weight of a linear layer,
// drawn from N(0, σ²) cut at ±3σ with the variance
//
//	σ² = 2 / (dIn + dOut)
//
// Source: Glorot and Bengio, "Understanding the difficulty of training deep
// feedforward neural networks", 2010, equation 12.
func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	panic(tensor.TODO("step01: LinearWeight"))
}

// EmbeddingWeight returns a new tensor (vocab, dModel), an embedding table,
// drawn from N(0, 1) cut at ±3.
func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	panic(tensor.TODO("step01: EmbeddingWeight"))
}

// Gain returns a new tensor (d) of ones, the gain of a normalisation layer: at
// first the layer normalises and does nothing else.
func Gain(d int) *tensor.Tensor {
	panic(tensor.TODO("step01: Gain"))
}
