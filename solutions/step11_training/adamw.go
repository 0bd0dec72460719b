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

// update takes the current step for parameter i alone.
func (o *AdamW) update(i int, lr float64) {
	// Both means start at 0 and are therefore too small at first: after t steps
	// the weights of the gradients in m sum to 1 − β1ᵗ instead of 1.
	bias1 := 1 - math.Pow(o.Beta1, float64(o.Steps))
	bias2 := 1 - math.Pow(o.Beta2, float64(o.Steps))
	p := o.Params[i]
	kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,
		lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)
}
