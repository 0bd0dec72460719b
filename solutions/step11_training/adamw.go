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

	movers *team[float64] // each takes a parameter and moves it at the given rate
}

// NewAdamW returns the optimiser of the given parameters, before its first step:
// both means are 0.
func NewAdamW(params []*tensor.Param, beta1, beta2, eps, weightDecay float64) *AdamW {
	o := &AdamW{Beta1: beta1, Beta2: beta2, Eps: eps, WeightDecay: weightDecay, Params: params}
	o.movers = newTeam(o.update)
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
	o.movers.run(len(o.Params), lr) // no parameter needs another
}

// define is one update from its definition, in float64 and an element at a time: the
// reference for update. g is the gradient, and o.Steps counts this step already.
func (o *AdamW) define(p, m, v []float64, g []float32, lr float64) {
	// (1) The mean of the gradients:    m = β1·m + (1 − β1)·g
	// (2) and that of their squares:    v = β2·v + (1 − β2)·g²
	// (3) Both start at 0 and are too small at first: after t steps the weights of the
	//     gradients sum to 1 − βᵗ.      m̂ = m/(1 − β1ᵗ), v̂ = v/(1 − β2ᵗ)
	// (4) Where the gradient stays the same, a step is as long as lr:
	//                                   p = p − lr·m̂/(√v̂ + ε)
	// (5) The decay is no part of the gradient, and is not divided by √v̂:
	//                                   p = p − lr·λ·p
	t := float64(o.Steps)
	for i, g := range g {
		m[i] = o.Beta1*m[i] + (1-o.Beta1)*float64(g)                               // (1)
		v[i] = o.Beta2*v[i] + (1-o.Beta2)*float64(g)*float64(g)                    // (2)
		mHat, vHat := m[i]/(1-math.Pow(o.Beta1, t)), v[i]/(1-math.Pow(o.Beta2, t)) // (3)
		p[i] -= lr * o.WeightDecay * p[i]                                          // (5)
		p[i] -= lr * mHat / (math.Sqrt(vHat) + o.Eps)                              // (4)
	}
}

// block is how many elements go through all lines of an update before the next
// ones do: meanwhile they stay in the first-level cache.
const block = 1024

// update takes the current step for parameter i alone. It does what define does, a line
// for a block of elements at a time.
func (o *AdamW) update(i int, lr float64) {
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
	beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	var room [3][block]float32 // for g², m̂ and v̂

	param := o.Params[i]
	for from := 0; from < param.Value.Len(); from += block {
		to := min(from+block, param.Value.Len())
		p, g := param.Value.Data[from:to], param.Grad.Data[from:to]
		m, v := o.M[i].Data[from:to], o.V[i].Data[from:to]
		square, mHat, vHat := room[0][:to-from], room[1][:to-from], room[2][:to-from]

		// (1) m = β1·m + (1 − β1)·g
		kernel.Axpby(rest1, g, beta1, m)

		// (2) v = β2·v + (1 − β2)·g²
		kernel.Mul(square, g, g)
		kernel.Axpby(rest2, square, beta2, v)

		// (3) m̂ = m/(1 − β1ᵗ), v̂ = v/(1 − β2ᵗ)
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)

		// (5) p = p − lr·λ·p
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)

		// (4) p = p − lr·m̂/(√v̂ + ε): v̂ becomes the denominator, and m̂ the quotient
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Div(mHat, mHat, vHat)
		kernel.Axpy(float32(-lr), mHat, p)
	}
}
