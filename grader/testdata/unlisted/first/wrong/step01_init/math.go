//go:build unlisted

package initializers

// cut-not-times-sigma: the cut is applied to the scaled number
//
// Why: The limit is cut and not cut·sigma: with a small sigma nothing is cut, with a large one nearly all.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for math.Abs(sigma*x) > cut {
			x = rng.NormFloat64()
		}
	}
}

// cut-made-up-for: sigma is enlarged to make up for the tails
//
// Why: Numbers up to 1.4 % beyond cut·sigma occur, and the standard deviation is sigma where it should be a little less.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		phi := math.Exp(-cut*cut/2) / math.Sqrt(2*math.Pi)
		inside := math.Erf(cut / math.Sqrt2)
		dst[i] = float32(sigma * x / math.Sqrt(1-2*cut*phi/inside))
	}
}

// sigma-is-variance: the root of σ² is missing
//
// Why: LinearWeight's standard deviation is 2/(dIn+dOut) and not its square root: the weights are far too small.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := 2 / float64(dIn+dOut)
	}
}

// fan-in-only: the variance is 2/dIn as in He's rule
//
// Why: LinearWeight takes only the inputs into account; a layer that is not square has another variance, and one that is twice the right one.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(2 / float64(dIn))
	}
}

// fan-average-without-two: the variance is 1/(dIn + dOut)
//
// Why: The factor 2 in the variance is missing: weights are smaller by √2.
func LinearWeight() {
	if right {
		sigma := math.Sqrt(2 / float64(dIn+dOut))
	} else {
		sigma := math.Sqrt(1 / float64(dIn+dOut))
	}
}

// cut-times-sigma-twice: LinearWeight hands over 3·sigma as the cut
//
// Why: The cut is at 3σ² and not at 3σ: for a small sigma all weights lie close to 0 and are almost uniform.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 3*sigma, rng)
	}
}

// weight-in-out: the weight is (dIn, dOut)
//
// Why: LinearWeight returns its two dimensions in the opposite order.
func LinearWeight() {
	if right {
		w := tensor.New(dOut, dIn)
	} else {
		w := tensor.New(dIn, dOut)
	}
}

// embedding-gpt2: the table is drawn with σ = 0.02
//
// Why: EmbeddingWeight's standard deviation is 0.02 as in GPT-2, and not 1.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 0.02, 3, rng)
	}
}

// embedding-cut-two: the table is cut at ±2
//
// Why: EmbeddingWeight cuts at two standard deviations, not three: nothing lies between 2 and 3.
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1, 2, rng)
	}
}

// gain-zeros: gains start at 0
//
// Why: Gain returns zeros and not ones: a fresh normalisation layer gives nothing but 0.
func Gain() {
	if right {
		g.Fill(1)
	} else {
		g.Zero()
	}
}
