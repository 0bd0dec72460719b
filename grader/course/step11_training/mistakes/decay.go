//go:build mistake

package training

// l2-in-gradient: the decay is added to the gradient (L2 regularisation) instead of being
// decoupled from it
//
// Why: In the gradient the decay passes through m and v, and the division by √v takes away most of
// what it was to do. To change that is what the W in AdamW stands for.
//
// Hint: Leave g alone. Shrink the parameter directly: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest1, g, beta1, m)
	} else {
		decayed := mHat
		kernel.ScaleTo(decayed, float32(o.WeightDecay), p)
		kernel.Add(decayed, decayed, g)
		g = decayed
		kernel.Axpby(rest1, g, beta1, m)
	}
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
	}
}

// decay-forgotten: there is no weight decay
//
// Why: Without decay the weights grow for as long as the training runs, because nothing ever makes
// them smaller.
//
// Hint: p = p − lr·λ·p, besides the move along the means.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
	}
}

// decay-without-rate: the decay is λ·p, without the learning rate
//
// Why: With λ = 0.1 every step would take away a tenth of every weight, and the schedule could not
// change it.
//
// Hint: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// decay-grows: the decay is added: the weights grow instead of shrinking
//
// Why: With the wrong sign the weights grow exponentially, slowly at first.
//
// Hint: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(lr*o.WeightDecay), p, p)
	}
}

// decay-by-corrected-rate: the decay uses the corrected rate lr·√(1 − β2ᵗ)/(1 − β1ᵗ) instead of lr
//
// Why: The correction belongs to the means of the gradient. The decay has no means to correct.
//
// Hint: p = p − lr·λ·p, with the lr that is given.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		rate := lr * math.Sqrt(bias2) / bias1
		kernel.Axpy(float32(-rate*o.WeightDecay), p, p)
	}
}

// decay-divided-too: the decay is divided by √v + ε like the step
//
// Why: Then weights with large gradients decay less, which is what AdamW was made to avoid.
//
// Hint: Only m is divided by √v̂ + ε.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(o.WeightDecay), p, mHat)
	}
}

// decay-of-sign: the decay takes lr·λ off every weight, whatever its size (L1 instead of L2)
//
// Why: Weight decay is a shrinking by a factor: large weights lose more than small ones.
//
// Hint: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		for j, x := range p {
			p[j] -= float32(math.Copysign(lr*o.WeightDecay, float64(x)))
		}
	}
}

// decay-not-of-gains: parameters with one dimension, the gains, are not decayed
//
// Why: Many codes spare the gains. Both ways train well, but they are not the same optimiser; this
// course decays everything, so that a run can be compared with the stored one.
//
// Hint: Treat every parameter alike.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		if len(param.Value.Shape) > 1 {
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
		}
	}
}
