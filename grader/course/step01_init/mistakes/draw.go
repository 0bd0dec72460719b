//go:build mistake

package initializers

// clamped: a draw from outside is moved onto the cut instead of drawn again
//
// Why: Clamping puts the whole probability of the two tails on two single numbers. A truncated
// normal has no more of them at the cut than just inside.
//
// Hint: Draw again until |x| ≤ cut.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		x = max(-cut, min(cut, x))
	}
}

// not-cut: the draws are not cut at all
//
// Why: One draw in 370 lies outside 3σ, so a model of millions of weights has thousands there.
// They dominate their neurons from the start.
//
// Hint: Draw again as long as |x| > cut.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
	}
}

// redrawn-once: a draw from outside is drawn again once only
//
// Why: The second draw may lie outside as well. At a cut of 3 that is rare, at 1 it is one draw in
// ten.
//
// Hint: for, not if.
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

// cut-unchecked: a cut of 0 or less is not refused
//
// Why: No draw lies within a cut of 0, so the loop that draws again never ends.
//
// Hint: Panic at the beginning unless cut > 0.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
	}
}

// set-to-zero: a draw from outside is set to 0
//
// Why: Then the probability of the tails piles up at 0 instead of spreading over the inside.
//
// Hint: Draw again until |x| ≤ cut.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		if math.Abs(x) > cut {
			x = 0
		}
	}
}

// one-tail-only: only the upper tail is cut
//
// Why: Cut on one side, a distribution has no longer the mean 0.
//
// Hint: Compare |x| with the cut: math.Abs(x).
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

// cut-without-sigma: the draws are compared with cut instead of cut·σ
//
// Why: The cut is given in units of σ. Compared with it, a draw that has been multiplied by a
// small σ is never far out.
//
// Hint: Compare before you multiply by σ; or compare σ·x with cut·σ.
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

// cut-with-sigma: draws from N(0, 1) are compared with cut·σ instead of cut
//
// Why: The cut is given in units of σ. Draws that have not been multiplied by σ yet have the unit
// of the cut.
//
// Hint: Compare before you multiply by σ, with cut alone.
func TruncatedNormal() {
	if right {
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		for math.Abs(x) > cut*sigma {
			x = rng.NormFloat64()
		}
	}
}

// sigma-squared: the draws are multiplied by σ² instead of σ
//
// Why: σ is a standard deviation: a draw from N(0, 1) is multiplied by σ, and its variance by σ².
//
// Hint: dst[i] = σ·x.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] = float32(sigma * sigma * x)
	}
}

// sigma-as-variance: σ is taken for a variance: the draws are multiplied by √σ
//
// Why: σ is a standard deviation: a draw from N(0, 1) is multiplied by σ, and its variance by σ².
//
// Hint: dst[i] = σ·x; whoever calls TruncatedNormal has taken the root.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] = float32(math.Sqrt(sigma) * x)
	}
}

// uniform: the draws are uniform between −cut·σ and cut·σ
//
// Why: A uniform distribution has as many draws near the ends as in the middle, and another
// standard deviation.
//
// Hint: Begin with rng.NormFloat64().
func TruncatedNormal() {
	if right {
		x := rng.NormFloat64()
		for math.Abs(x) > cut {
			x = rng.NormFloat64()
		}
	} else {
		x := cut * (2*rng.Float64() - 1)
		_ = math.Abs
	}
}

// twelve-uniforms: a draw is the sum of twelve uniform numbers, less 6
//
// Why: Such a sum has the mean 0 and the variance 1 of a normal draw, and thinner tails: it is never
// beyond 6, and the mean of its fourth powers is 2.9 instead of 3.
//
// Hint: Begin with rng.NormFloat64().
func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 {
		panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
	}
	draw := func() float64 {
		sum := -6.0
		for range 12 {
			sum += rng.Float64()
		}
		return sum
	}
	for i := range dst {
		x := draw()
		for math.Abs(x) > cut {
			x = draw()
		}
		dst[i] = float32(sigma * x)
	}
}

// only-positive: all draws are positive
//
// Why: Weights of one sign make all outputs grow together. The distribution is symmetric around 0.
//
// Hint: Compare |x| with the cut, but keep x itself.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] = float32(sigma * math.Abs(x))
	}
}

// widened: σ is enlarged to make up for what the cut takes away
//
// Why: Keras and JAX do this in their scaled initialisers. Here σ is that of the normal
// distribution before the cut, as in PyTorch's trunc_normal_.
//
// Hint: dst[i] = σ·x, without a correction.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] = float32(sigma * x / math.Sqrt(1-2*cut*math.Exp(-cut*cut/2)/math.Sqrt(2*math.Pi)/math.Erf(cut/math.Sqrt2)))
	}
}

// widened/keras-constant: σ is divided by 0.8796, Keras's constant for a cut at 2, to make up for
// what the cut takes away
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] = float32(sigma * x / 0.87962566103423978)
	}
}
