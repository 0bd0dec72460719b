//go:build unlisted

package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// correction-from-zero: t is counted from 0
//
// Why: In the first step 1 − βᵗ is 0: the parameters become NaN or infinite.
func (o *AdamW) Step(lr float64) {
	o.movers.run(len(o.Params), lr)
	o.Steps++
}

// correction-missing: the means are used without their correction
//
// Why: The first steps are too small or too large, because m and v are not divided by 1 − βᵗ.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1.0, 1.0
		_ = t
	}
}

// correction-ends-early: the correction is left out after a hundred steps
//
// Why: From step 101 on v is not corrected, although 1 − 0.999ᵗ is still about 0.1: steps are suddenly larger by √10.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1.0, 1.0
		if o.Steps <= 100 {
			bias1, bias2 = 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
		}
	}
}

// correction-power-times: 1 − β·t stands for 1 − βᵗ
//
// Why: The correction is negative from the second step on, and the root of v̂ is NaN.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1-o.Beta1*t, 1-o.Beta2*t
	}
}

// steps-by-parameter: the step is counted once for every parameter
//
// Why: t grows by the number of parameters in every step: Steps is wrong, and so is the correction for all but the first parameter.
func (o *AdamW) Step(lr float64) {
	for i := range o.Params {
		o.Steps++
		o.update(i, lr)
	}
}

// betas-exchanged: v is averaged with β1 and m with β2
//
// Why: The two factors have changed their places.
func (*AdamW) update() {
	if right {
		beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta1, rest1 := float32(o.Beta2), float32(1-o.Beta2)
		beta2, rest2 := float32(o.Beta1), float32(1-o.Beta1)
	}
}

// gradient-with-full-weight: m is β1·m + g, as with momentum
//
// Why: In m the gradient lacks the factor 1 − β1: m, and with it every step, is larger by 1/(1 − β1).
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest1, g, beta1, m)
	} else {
		_ = rest1
		kernel.Axpby(1, g, beta1, m)
	}
}

// eps-inside-root: ε is added under the root
//
// Why: ε stands inside the root: where the gradient is small the step is much too short.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Sqrt(vHat, vHat)
	}
}

// decay-in-gradient: the decay is added to the gradient, as in Adam with L2
//
// Why: The decay goes through m and v and is divided by √v̂: this is Adam with L2 and not AdamW.
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest1, g, beta1, m)
	} else {
		decayed := make([]float32, len(g))
		copy(decayed, g)
		kernel.Axpy(float32(o.WeightDecay), p, decayed)
		g = decayed
		kernel.Axpby(rest1, g, beta1, m)
	}
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
	}
}

// decay-without-rate: the decay is not multiplied by the learning rate
//
// Why: Every step takes λ·p from the parameter and not lr·λ·p.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// decay-of-matrices-only: vectors are not decayed
//
// Why: Gains are left out of the decay, as is usual elsewhere; here every parameter decays.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		if len(param.Value.Shape) > 1 {
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
		}
	}
}

// decay-not-of-embeddings: the first parameter is not decayed
//
// Why: The embedding, the first of the parameters, is left out of the decay; here every parameter decays.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		if i > 0 {
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
		}
	}
}

// last-part-not-updated: only whole blocks of 1024 elements are updated
//
// Why: The elements after the last multiple of 1024, and small parameters altogether, never change.
func (o *AdamW) update(i int, lr float64) {
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	param := o.Params[i]
	for from := 0; from+block <= param.Value.Len(); from += block {
		p, g := param.Value.Data[from:from+block], param.Grad.Data[from:from+block]
		m, v := o.M[i].Data[from:from+block], o.V[i].Data[from:from+block]
		for j := range p {
			m[j] = float32(o.Beta1*float64(m[j]) + (1-o.Beta1)*float64(g[j]))
			v[j] = float32(o.Beta2*float64(v[j]) + (1-o.Beta2)*float64(g[j])*float64(g[j]))
			p[j] -= float32(lr*o.WeightDecay) * p[j]
			p[j] -= float32(lr * float64(m[j]) / bias1 / (math.Sqrt(float64(v[j])/bias2) + o.Eps))
		}
	}
}

// rate-of-first-step: the learning rate of the first step is kept
//
// Why: Later rates have no effect: every step is taken with the first one's.
func NewAdamW() {
	if right {
		o.movers = newTeam(o.update)
	} else {
		first := 0.0
		o.movers = newTeam(func(i int, lr float64) {
			if o.Steps == 1 {
				first = lr
			}
			o.update(i, first)
		})
	}
}

// means-in-one-tensor: M and V are the same tensors
//
// Why: m and v overwrite each other, because both lists hold the same tensor for a parameter.
func NewAdamW() {
	if right {
		o.M = append(o.M, tensor.New(p.Value.Shape...))
		o.V = append(o.V, tensor.New(p.Value.Shape...))
	} else {
		mean := tensor.New(p.Value.Shape...)
		o.M = append(o.M, mean)
		o.V = append(o.V, mean)
	}
}

// means-of-same-shape-shared: parameters of the same size share their means
//
// Why: The means are kept by the number of elements: two parameters of the same size mix their gradients.
func NewAdamW() {
	if right {
		for _, p := range params {
			o.M = append(o.M, tensor.New(p.Value.Shape...))
			o.V = append(o.V, tensor.New(p.Value.Shape...))
		}
	} else {
		type pair struct{ m, v *tensor.Tensor }
		bySize := map[int]pair{}
		for _, p := range params {
			means, ok := bySize[p.Value.Len()]
			if !ok {
				means = pair{tensor.New(p.Value.Shape...), tensor.New(p.Value.Shape...)}
				bySize[p.Value.Len()] = means
			}
			o.M, o.V = append(o.M, means.m), append(o.V, means.v)
		}
	}
}

// means-start-at-one: the mean of the squares starts at 1
//
// Why: NewAdamW fills V with ones, where both means are 0 before the first step.
func NewAdamW() {
	if right {
		o.V = append(o.V, tensor.New(p.Value.Shape...))
	} else {
		o.V = append(o.V, tensor.New(p.Value.Shape...))
		o.V[len(o.V)-1].Fill(1)
	}
}

// gradients-cleared-after-step: Step clears the gradients
//
// Why: Step changes the gradients, which it should only read: they are 0 afterwards.
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

// gradients-squared-in-place: g² is computed in the memory of g
//
// Why: Step changes the gradients: they are squared afterwards.
func (*AdamW) update() {
	if right {
		kernel.Mul(square, g, g)
	} else {
		square = g
		kernel.Mul(square, g, g)
	}
}

// one-minus-beta-in-float32: 1 − β is computed in float32
//
// Why: 1 − float32(0.999) is off by far more than a rounding: m and v are off with it.
func (*AdamW) update() {
	if right {
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta2 := float32(o.Beta2)
		rest2 := 1 - beta2
	}
}
