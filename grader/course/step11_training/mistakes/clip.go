//go:build mistake

package training

// clip-per-parameter: every parameter's gradient is clipped by its own norm
//
// Why: All gradients together are one vector. One factor for all keeps its direction; a factor for
// each bends it.
//
// Hint: Sum the squares over all parameters first, then scale all by the same factor.
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		for _, p := range params {
			if own := math.Sqrt(kernel.SumSquares(p.Grad.Data)); own > maxNorm {
				kernel.Scale(float32(maxNorm/(own+1e-6)), p.Grad.Data)
			}
		}
	}
}

// clip-by-value: every element of the gradient is cut to ±maxNorm
//
// Why: Cutting the elements changes the direction, and bounds the norm only by maxNorm·√n.
//
// Hint: Scale the whole gradient by maxNorm/(norm + 1e-6).
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		for _, p := range params {
			for i, g := range p.Grad.Data {
				p.Grad.Data[i] = float32(max(-maxNorm, min(maxNorm, float64(g))))
			}
		}
	}
}

// clip-always: the gradient is scaled to maxNorm even if it is shorter
//
// Why: Near the end of the training gradients are small and are to stay small. Clipping shortens,
// it never lengthens.
//
// Hint: Scale only if norm > maxNorm.
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		if maxNorm > 0 {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	}
}

// clip-never: the norm is returned, but nothing is scaled
//
// Why: One bad batch can then throw the model far away.
//
// Hint: If norm > maxNorm, multiply every gradient by maxNorm/(norm + 1e-6).
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		if math.IsNaN(norm) {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	}
}

// clip-inverted: the gradient is scaled when it is shorter than maxNorm, and left when it is
// longer
//
// Why: The comparison is the wrong way round.
//
// Hint: Scale only if norm > maxNorm.
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		if norm < maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	}
}

// norm-without-root: the norm is the sum of the squares, without the root
//
// Why: A sum of squares is the square of a length. Clipping by it shortens a long gradient far too
// much.
//
// Hint: norm = √(Σ g²).
func ClipGradNorm() {
	if right {
		norm := math.Sqrt(squares)
	} else {
		norm := math.Abs(squares)
	}
}

// norm-sum-of-norms: the norms of the parameters are added up
//
// Why: Lengths add up only along one line. The squares are what adds up (Pythagoras).
//
// Hint: Add the sums of squares, and take one root at the end.
func ClipGradNorm() {
	if right {
		for _, p := range params {
			squares += kernel.SumSquares(p.Grad.Data)
		}
		norm := math.Sqrt(squares)
	} else {
		for _, p := range params {
			squares += math.Sqrt(kernel.SumSquares(p.Grad.Data))
		}
		norm := squares
	}
}

// norm-of-absolutes: the norm is the sum of the absolute values
//
// Why: That is the L1 norm. The length of a vector is the L2 norm.
//
// Hint: norm = √(Σ g²).
func ClipGradNorm() {
	if right {
		for _, p := range params {
			squares += kernel.SumSquares(p.Grad.Data)
		}
		norm := math.Sqrt(squares)
	} else {
		for _, p := range params {
			for _, g := range p.Grad.Data {
				squares += math.Abs(float64(g))
			}
		}
		norm := squares
	}
}

// norm-averaged: the squares are averaged over all elements instead of summed
//
// Why: The root mean square of a million elements is a thousand times smaller than their norm, and
// would hardly ever be too long.
//
// Hint: norm = √(Σ g²), without a division.
func ClipGradNorm() {
	if right {
		norm := math.Sqrt(squares)
	} else {
		count := 0
		for _, p := range params {
			count += p.Grad.Len()
		}
		norm := math.Sqrt(squares / float64(count))
	}
}

// norm-of-last-parameter: the norm is that of the last parameter alone
//
// Why: An assignment in the loop keeps the last value only.
//
// Hint: += in the loop over the parameters.
func ClipGradNorm() {
	if right {
		squares += kernel.SumSquares(p.Grad.Data)
	} else {
		squares = kernel.SumSquares(p.Grad.Data)
	}
}

// norm-after-clipping: the norm is returned as it is after clipping
//
// Why: The norm before is what one wants to watch: it shows that a training is about to break.
// After clipping it is never above maxNorm.
//
// Hint: Return the norm that was measured before scaling.
func ClipGradNorm() {
	if right {
		return norm
	} else {
		return min(norm, norm*maxNorm/(norm+1e-6))
	}
}

// clip-without-1e-6: the factor is maxNorm/norm, without the 1e-6 in the denominator
//
// Why: The small number is PyTorch's. It matters only where norm and maxNorm are tiny themselves.
//
// Hint: maxNorm/(norm + 1e-6).
func ClipGradNorm() {
	if right {
		kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
	} else {
		kernel.Scale(float32(maxNorm/norm), p.Grad.Data)
	}
}

// clip-to-one: the gradient is scaled to length 1, whatever maxNorm is
//
// Why: With maxNorm = 1, the usual choice, this does not show.
//
// Hint: maxNorm/(norm + 1e-6): maxNorm occurs in the comparison and in the factor.
func ClipGradNorm() {
	if right {
		kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
	} else {
		kernel.Scale(float32(1/(norm+1e-6)), p.Grad.Data)
	}
}
