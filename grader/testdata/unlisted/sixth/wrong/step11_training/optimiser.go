//go:build unlisted

package training

// decay-without-the-rate: the decay is λ·p and not lr·λ·p
//
// Why: p = p − lr·λ·p; with lr = 10⁻³ the parameters shrink a thousand times too fast.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// gains-not-decayed: parameters of one dimension are left out of the decay
//
// Why: AdamW decays every parameter that it is given, the gains too.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		if len(param.Value.Shape) > 1 {
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
		}
	}
}

// rest-of-beta-in-float32: 1 − β is taken after rounding
//
// Why: 1 − float32(0.999) is off by 1.3·10⁻⁵, while the correction is exact.
func (*AdamW) update() {
	if right {
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta2 := float32(o.Beta2)
		rest2 := 1 - beta2
	}
}

// epsilon-under-the-root: √(v̂ + ε)
//
// Why: ε stands beside the root; where gradients are small the step is far too short.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Sqrt(vHat, vHat)
	}
}

// squares-over-the-gradient: g² is computed in the memory of g
//
// Why: the gradients are read and not changed.
func (*AdamW) update() {
	if right {
		kernel.Mul(square, g, g)
	} else {
		square = g
		kernel.Mul(square, g, g)
	}
}

// gradients-cleared-by-step: Step empties the gradients when it is done
//
// Why: the gradients are read and not changed.
func (*AdamW) Step() {
	if right {
		o.movers.run(len(o.Params), lr)
	} else {
		o.movers.run(len(o.Params), lr)
		for _, p := range o.Params {
			p.ZeroGrad()
		}
	}
}

// room-in-package-variables: all updates share the room for m̂ and v̂
//
// Why: several goroutines update parameters at the same time and overwrite each other's numbers.
func (*AdamW) update() {
	if right {
		var room [3][block]float32
	} else {
	}
}

var room [3][block]float32

// decay-with-the-correction: the decay is divided by 1 − β1ᵗ with the step
//
// Why: the corrections have no part in the decay; at t = 1 it is ten times too strong.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-lr/bias1*o.WeightDecay), p, p)
	}
}

// end-before-the-warm-up: t ≥ cosineEnd is asked first
//
// Why: with warmup > cosineEnd the rate must rise to the end of the warm-up, and drops at cosineEnd.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t >= cosineEnd:
			return lrMin
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		}
	}
}

// warm-up-includes-its-end: t ≤ warmup rises
//
// Why: warmup may be 0, and then t = 0 gives 0/0.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t <= warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	}
}

// cosine-includes-its-end: only t > cosineEnd stays at lrMin
//
// Why: with warmup = cosineEnd the progress at t = cosineEnd is 0/0, and the rate NaN.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t > cosineEnd:
			return lrMin
		}
	}
}

// warm-up-from-the-minimum: the warm-up begins at lrMin and not at 0
//
// Why: t < warmup gives t/warmup · lrMax.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t < warmup:
			return lrMin + float64(t)/float64(warmup)*(lrMax-lrMin)
		case t >= cosineEnd:
			return lrMin
		}
	}
}

// short-gradients-stretched: every gradient is brought to the length maxNorm
//
// Why: a gradient that is not too long is not changed.
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		for _, p := range params {
			kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
		}
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: gradients of 10²⁰ overflow; the norm is infinite and the gradient becomes 0.
func ClipGradNorm() {
	if right {
		squares += kernel.SumSquares(p.Grad.Data)
	} else {
		squares += float64(kernel.Dot(p.Grad.Data, p.Grad.Data))
	}
}

// length-after-clipping: what is returned is at most maxNorm
//
// Why: it returns the length before.
func ClipGradNorm() {
	if right {
		return norm
	} else {
		return min(norm, maxNorm)
	}
}

// each-tensor-by-its-own: each gradient is clipped by its own length
//
// Why: all parameters together are one vector; one factor keeps its direction.
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
