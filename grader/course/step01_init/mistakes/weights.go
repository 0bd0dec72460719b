//go:build mistake

package initializers

// linear-variance-for-sigma: a linear weight has the standard deviation 2/(d_in + d_out): the root
// is missing
//
// Why: The formula gives a variance. Weights of that size are a hundred times too small in a wide
// layer.
//
// Hint: σ = √(2/(d_in + d_out)).
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := 2 / float64(dIn+dOut)
		_ = math.Sqrt2
	}
}

// linear-he: a linear weight has σ² = 2/d_in, the formula of He
//
// Why: He's formula makes up for a ReLU that shuts off half of its inputs. On the way forward a
// product sums d_in terms, on the way back d_out. Neither should grow or shrink, so the variance
// is one over the mean of the two.
//
// Hint: The denominator is d_in + d_out.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(2 / float64(dIn))
	}
}

// linear-fan-out: a linear weight has σ² = 2/d_out
//
// Why: On the way forward a product sums d_in terms, on the way back d_out. Neither should grow or
// shrink, so the variance is one over the mean of the two.
//
// Hint: The denominator is d_in + d_out.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(2 / float64(dOut))
	}
}

// linear-fan-in: a linear weight has σ² = 1/d_in
//
// Why: On the way forward a product sums d_in terms, on the way back d_out. Neither should grow or
// shrink, so the variance is one over the mean of the two.
//
// Hint: σ² = 2/(d_in + d_out).
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(1 / float64(dIn))
	}
}

// linear-factor-two: a linear weight has σ² = 1/(d_in + d_out): the factor 2 is missing
//
// Why: The mean of d_in and d_out is half of their sum, and that half is the 2.
//
// Hint: σ² = 2/(d_in + d_out).
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(1 / float64(dIn+dOut))
	}
}

// linear-product: a linear weight has the product d_in·d_out in its σ² instead of the sum
//
// Why: On the way forward a product sums d_in terms, on the way back d_out. Neither should grow or
// shrink, so the variance is one over the mean of the two.
//
// Hint: The denominator is d_in + d_out.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(2 / float64(dIn*dOut))
	}
}

// linear-gpt2: a linear weight has σ = 0.02, whatever its size
//
// Why: GPT-2 used one σ for all its matrices, which suits widths of some thousands. The step asks
// for a truncated normal with σ² = 2/(d_in + d_out).
//
// Hint: σ depends on d_in and d_out.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := 0.02
		_ = math.Sqrt2
	}
}

// linear-uniform: a linear weight is uniform with Glorot's limit √(6/(d_in + d_out))
//
// Why: Glorot's paper has the uniform form, PyTorch calls it xavier_uniform_. Its variance is the
// same, its shape is not. The step asks for a truncated normal with σ² = 2/(d_in + d_out).
//
// Hint: Call TruncatedNormal with σ and a cut of 3.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		for i := range w.Data {
			w.Data[i] = float32(math.Sqrt(3) * sigma * (2*rng.Float64() - 1))
		}
	}
}

// linear-pytorch: a linear weight is uniform between ±1/√d_in, PyTorch's own default
//
// Why: nn.Linear draws this way for reasons of history. The step asks for a truncated normal with
// σ² = 2/(d_in + d_out).
//
// Hint: Call TruncatedNormal with σ and a cut of 3.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		for i := range w.Data {
			w.Data[i] = float32((2*rng.Float64() - 1) / math.Sqrt(float64(dIn)))
		}
		_ = sigma
	}
}

// linear-not-cut: a linear weight is not cut
//
// Why: One draw in 370 lies outside 3σ. The step asks for a truncated normal with σ² = 2/(d_in +
// d_out).
//
// Hint: Call TruncatedNormal with a cut of 3.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		for i := range w.Data {
			w.Data[i] = float32(sigma * rng.NormFloat64())
		}
	}
}

// linear-cut-at-2: a linear weight is cut at 2σ
//
// Why: 2σ is the cut of TensorFlow. It takes away 5 % of the draws and makes the rest 12 %
// smaller.
//
// Hint: The cut is 3.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 2, rng)
	}
}

// linear-cut-in-sigma: a linear weight's cut is given as 3σ instead of 3
//
// Why: TruncatedNormal takes its cut in units of σ and multiplies by σ itself. Multiplied twice,
// the cut leaves almost nothing but the middle.
//
// Hint: The cut is 3.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 3*sigma, rng)
	}
}

// linear-shape: a linear weight has the shape (d_in, d_out)
//
// Why: Weights are (out, in): a row for every output.
//
// Hint: tensor.New(dOut, dIn).
func LinearWeight() {
	if right {
		w := tensor.New(dOut, dIn)
	} else {
		w := tensor.New(dIn, dOut)
	}
}

// embedding-like-linear: an embedding has σ² = 2/(V + d_model), like a linear weight
//
// Why: A linear layer sums over its inputs, and a sum of many terms has to be kept small. A
// look-up sums nothing.
//
// Hint: σ = 1.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, math.Sqrt(2/float64(vocab+dModel)), 3, rng)
	}
}

// embedding-0.02: an embedding has σ = 0.02
//
// Why: That is GPT-2's σ. Here embeddings begin at σ = 1, the size that the norms give to
// everything else.
//
// Hint: σ = 1.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 0.02, 3, rng)
	}
}

// embedding-root-d: an embedding has σ = 1/√d_model
//
// Why: A vector of length 1 is what a tied output layer wants. This model has an output layer of
// its own.
//
// Hint: σ = 1.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1/math.Sqrt(float64(dModel)), 3, rng)
	}
}

// embedding-not-cut: an embedding is not cut
//
// Why: Embeddings are drawn like the other weights: a truncated normal.
//
// Hint: Call TruncatedNormal with σ = 1 and a cut of 3.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		for i := range w.Data {
			w.Data[i] = float32(rng.NormFloat64())
		}
	}
}

// embedding-cut-at-2: an embedding is cut at 2
//
// Why: 2σ is the cut of TensorFlow. It takes away 5 % of the draws and makes the rest 12 %
// smaller.
//
// Hint: The cut is 3.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1, 2, rng)
	}
}

// embedding-shape: an embedding has the shape (d_model, V)
//
// Why: A table has a row for every token.
//
// Hint: tensor.New(vocab, dModel).
func EmbeddingWeight() {
	if right {
		w := tensor.New(vocab, dModel)
	} else {
		w := tensor.New(dModel, vocab)
	}
}

// gain-zeros: gains are 0
//
// Why: A gain of 0 shuts its layer off. Gemma's are 0 because its norm multiplies by 1 + g.
//
// Hint: Fill the vector with ones.
func Gain() {
	if right {
		g.Fill(1)
	} else {
		g.Fill(0)
	}
}
