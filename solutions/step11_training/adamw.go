package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// AdamW is Adam with decoupled weight decay. It decays every parameter that it
// is given, the gains and the embeddings too.
//
// Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015;
// Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
type AdamW struct {
	Beta1, Beta2, Eps, WeightDecay float64

	Params []*tensor.Param
	M, V   []*tensor.Tensor // running means of the gradient and of its square, for each of Params
	Steps  int              // how many steps were taken

	lr      float64 // of the current step
	updates *team
}

// NewAdamW returns the optimiser of the given parameters, before its first step:
// both means are 0.
func NewAdamW(params []*tensor.Param, beta1, beta2, eps, weightDecay float64) *AdamW {
	o := &AdamW{Beta1: beta1, Beta2: beta2, Eps: eps, WeightDecay: weightDecay, Params: params}
	o.updates = newTeam(func(i int) { o.update(i, o.lr) })
	for _, p := range params {
		o.M = append(o.M, tensor.New(p.Value.Shape...))
		o.V = append(o.V, tensor.New(p.Value.Shape...))
	}
	return o
}

// Step moves every parameter against its gradient g, with t counted from 1:
//
//	m = β1·m + (1 − β1)·g
//	v = β2·v + (1 − β2)·g²
//	p = p − lr·λ·p                                   λ is WeightDecay
//	p = p − lr·(m/(1 − β1ᵗ)) / (√(v/(1 − β2ᵗ)) + ε)
//
// The gradients are read and not changed.
//
// Source: Loshchilov and Hutter, 2019, Algorithm 2. The order of the last two
// lines and the place of ε outside the corrected root are those of PyTorch.
func (o *AdamW) Step(lr float64) {
	o.Steps++
	o.lr = lr
	o.updates.run(len(o.Params)) // no parameter needs another
}

// block is how many elements go through all lines of an update before the next
// ones do: meanwhile they stay in the first-level cache.
const block = 1024

// update takes the current step for parameter i alone.
func (o *AdamW) update(i int, lr float64) {
	// (1) m is a running mean of g, and (2) v one of g².
	// (3) Both start at 0 and are therefore too small at first: after t steps the
	//     weights of the gradients in m sum to 1 − β1ᵗ instead of 1.
	// (4) The step is as long as lr where the gradient is always the same.
	// (5) The decay is no part of the gradient, and not divided by √v̂.
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
	beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	var first, second [block]float32 // room for m̂ and v̂

	param := o.Params[i]
	for from := 0; from < param.Value.Len(); from += block {
		to := min(from+block, param.Value.Len())
		p, g := param.Value.Data[from:to], param.Grad.Data[from:to]
		m, v := o.M[i].Data[from:to], o.V[i].Data[from:to]
		mHat, vHat := first[:to-from], second[:to-from]

		// (1) m = β1·m + (1 − β1)·g
		kernel.Axpby(rest1, g, beta1, m)

		// (2) v = β2·v + (1 − β2)·g²
		square := vHat
		kernel.Mul(square, g, g)
		kernel.Axpby(rest2, square, beta2, v)

		// (3) m̂ = m/(1 − β1ᵗ), v̂ = v/(1 − β2ᵗ)
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)

		// (5) p = p − lr·λ·p
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)

		// (4) p = p − lr·m̂/(√v̂ + ε)
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Div(mHat, mHat, vHat)
		kernel.Axpy(float32(-lr), mHat, p)
	}
}
