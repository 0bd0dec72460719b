//go:build unlisted

package training

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// second-mean-uncorrected: only the mean of the gradients is corrected
//
// Why: v is too small at first, so the first steps are many times too long.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1 := 1 - math.Pow(o.Beta1, t)
	}
	if right {
		kernel.ScaleTo(vHat, float32(1/bias2), v)
	} else {
		copy(vHat, v)
	}
}

// decay-without-rate: decay is not multiplied by the learning rate
//
// Why: with λ = 0.1 a parameter loses a tenth in every step, however small the rate is.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// step-clears-gradients: Step clears the gradients when it is done
//
// Why: the gradients should be read and not changed; whoever looks at them after the step finds zeros.
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

// one-tensor-for-both-means: M and V begin as the same tensor
//
// Why: the mean of the squares is added to that of the gradients, so both are wrong from the first step on.
func NewAdamW() {
	if right {
		o.M = append(o.M, tensor.New(p.Value.Shape...))
		o.V = append(o.V, tensor.New(p.Value.Shape...))
	} else {
		zeros := tensor.New(p.Value.Shape...)
		o.M = append(o.M, zeros)
		o.V = append(o.V, zeros)
	}
}

// no-gradient-no-update: parameter whose gradient is 0 everywhere is left alone
//
// Why: such a parameter should still decay and go on with its momentum.
func (*AdamW) update() {
	if right {
		param := o.Params[i]
	} else {
		param := o.Params[i]
		if !slices.ContainsFunc(param.Grad.Data, func(g float32) bool { return g != 0 }) {
			return
		}
	}
}

// eps-under-the-root: ε is added to v̂ under the root
//
// Why: the step is lr·m̂/√(v̂ + ε), which is much shorter for small gradients.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Sqrt(vHat, vHat)
	}
}

// clipped-one-by-one: every parameter's gradient is clipped on its own
//
// Why: the gradient of all parameters together changes its direction and can be longer than maxNorm.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	squares := 0.0
	for _, p := range params {
		own := kernel.SumSquares(p.Grad.Data)
		squares += own
		if norm := math.Sqrt(own); norm > maxNorm {
			kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
		}
	}
	return math.Sqrt(squares)
}

// norm-after-clipping: ClipGradNorm returns the length after clipping
//
// Why: the length before is asked for; what is returned is never above maxNorm.
func ClipGradNorm() {
	if right {
		return norm
	} else {
		return min(norm, maxNorm)
	}
}

// always-scaled: short gradient is scaled up to maxNorm
//
// Why: a gradient that is not too long should not be changed.
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

// warm-up-from-one: warm-up is (t + 1)/warmup
//
// Why: every rate of the warm-up is that of the next update, and t = warmup − 1 has lrMax already.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t+1) / float64(warmup) * lrMax
	}
}

// progress-from-zero: cosine runs from t = 0 and not from the end of the warm-up
//
// Why: the rate jumps down where the warm-up ends.
func CosineSchedule() {
	if right {
		progress := float64(t-warmup) / float64(cosineEnd-warmup)
	} else {
		progress := float64(t) / float64(cosineEnd)
	}
}

// end-belongs-to-cosine: t = cosineEnd is computed with the cosine
//
// Why: where warmup is cosineEnd this is 0/0, and the rate is NaN in place of lrMin.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	if t < warmup {
		return float64(t) / float64(warmup) * lrMax
	}
	if t > cosineEnd {
		return lrMin
	}
	progress := float64(t-warmup) / float64(cosineEnd-warmup)
	return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
}
