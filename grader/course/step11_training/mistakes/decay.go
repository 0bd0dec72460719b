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
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			grad += o.WeightDecay * value
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
		}
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
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, 0, bias1, bias2)
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
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value -= o.WeightDecay * value
			value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
		}
	}
}

// decay-grows: the decay is added: the weights grow instead of shrinking
//
// Why: With the wrong sign the weights grow exponentially, slowly at first.
//
// Hint: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value += lr * o.WeightDecay * value
			value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
		}
	}
}

// decay-by-corrected-rate: the decay uses the corrected rate lr·√(1 − β2ᵗ)/(1 − β1ᵗ) instead of lr
//
// Why: The correction belongs to the means of the gradient. The decay has no means to correct.
//
// Hint: p = p − lr·λ·p, with the lr that is given.
func (*AdamW) update() {
	if right {
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value -= lr * math.Sqrt(bias2) / bias1 * o.WeightDecay * value
			value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
		}
	}
}

// decay-divided-too: the decay is divided by √v + ε like the step
//
// Why: Then weights with large gradients decay less, which is what AdamW was made to avoid.
//
// Hint: Only m is divided by √v̂ + ε.
func (*AdamW) update() {
	if right {
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value -= lr * (mean/bias1 + o.WeightDecay*value) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
		}
	}
}

// decay-of-sign: the decay takes lr·λ off every weight, whatever its size (L1 instead of L2)
//
// Why: Weight decay is a shrinking by a factor: large weights lose more than small ones.
//
// Hint: p = p − lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range w {
			grad, value := float64(g[j]), float64(w[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad
			m[j], v[j] = float32(mean), float32(square)
			value -= math.Copysign(lr*o.WeightDecay, value)
			value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			w[j] = float32(value)
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
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
	} else {
		decay := o.WeightDecay
		if len(p.Value.Shape) == 1 {
			decay = 0
		}
		kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
			lr, o.Beta1, o.Beta2, o.Eps, decay, bias1, bias2)
	}
}
