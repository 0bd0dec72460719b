// Package initializers draws the first values of every parameter of the model.
//
// Letters: D d_model, V vocabulary. Weights of a linear layer are (out, in).
package initializers

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Rand returns the random stream of one tensor. The same seed and name give
// the same stream on every machine; another seed or another name gives an
// unrelated one, so that adding a layer to a model does not change what the
// others draw.
//
// Source: O'Neill, "PCG", 2014 (the generator); Fowler, Noll and Vo (the hash).
func Rand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name)) // a hash never returns an error
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// TruncatedNormal overwrites dst with independent draws from N(0, sigma²)
// under the condition |x| ≤ cut·sigma:
//
//	density(x) = φ(x/sigma) / (sigma · (2Φ(cut) − 1))  for |x| ≤ cut·sigma, else 0
//
// It panics if cut is not positive.
//
// Source: Robert, "Simulation of truncated normal variables", 1995.
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	// A condition on a random variable is met by drawing until it holds. Every
	// accepted draw then has the density above: that of N(0, 1) inside the cut,
	// divided by the chance 2Φ(cut) − 1 to be accepted.
	//
	// Setting a far draw to ±cut instead would put the whole probability of the
	// tails, 0.27 % at 3σ, on two single numbers.
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
	}
	for i := range dst {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
		dst[i] = float32(sigma * x)
	}
}

// LinearWeight returns the weight (dOut, dIn) of a linear layer, drawn from
// N(0, σ²) cut at ±3σ with
//
//	σ² = 2 / (dIn + dOut)
//
// Source: Glorot and Bengio, "Understanding the difficulty of training deep
// feedforward neural networks", 2010, eq. 12.
func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	// With in for dIn and out for dOut:
	// (1) y_i = Σ_j x_j·W_ij has in uncorrelated terms: Var(y) = in·σ²·Var(x)
	// (2) dx_j = Σ_i dy_i·W_ij has out of them:         Var(dx) = out·σ²·Var(dy)
	// (3) Neither should grow or shrink, but both factors are 1 only when in = out.
	// (4) So their average is, (in + out)/2·σ² = 1:     σ² = 2/(in + out)
	w := tensor.New(dOut, dIn)
	sigma := math.Sqrt(2 / float64(dIn+dOut)) // (4)
	TruncatedNormal(w.Data, sigma, 3, rng)
	return w
}

// EmbeddingWeight returns an embedding table (vocab, dModel), drawn from
// N(0, 1) cut at ±3. A look-up sums nothing, so nothing is divided by a size.
func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	w := tensor.New(vocab, dModel)
	TruncatedNormal(w.Data, 1, 3, rng)
	return w
}

// Gain returns the gain (d) of a normalisation layer: ones, so that at first
// the layer normalises and does nothing else.
func Gain(d int) *tensor.Tensor {
	g := tensor.New(d)
	g.Fill(1)
	return g
}
