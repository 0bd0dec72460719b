package training

import "github.com/stubformer/stubformer/reference/tensor"

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
}

// NewAdamW returns the optimiser of the given parameters, before its first step:
// both means are 0.
func NewAdamW(params []*tensor.Param, beta1, beta2, eps, weightDecay float64) *AdamW {
	panic(tensor.TODO("step11: NewAdamW"))
}

// Step moves every parameter against its gradient g, with t counted from 1:
//
//	m = β1·m + (1 − β1)·g
//	v = β2·v + (1 − β2)·g²
//	p = p − lr·λ·p                                   λ is WeightDecay
//	p = p − lr·(m/(1 − β1ᵗ)) / (√(v/(1 − β2ᵗ)) + ε)
//
// The gradients are read and not changed. Take 1 − β and the corrections in
// float64: 1 − float32(0.999) is off by more than the tolerance.
//
// Two more forms are published and count as right as well: the last two lines
// in the opposite order, and lr·√(1 − β2ᵗ)/(1 − β1ᵗ) · m/(√v + ε), in which ε
// stands beside the uncorrected root. Choose one of the three.
//
// A plain loop will do. Lines of reference/kernel over blocks of a thousand
// elements, which stay in the first-level cache meanwhile, take a fraction of
// its time: kernel.Axpby, kernel.Mul, kernel.Sqrt, kernel.Div and others.
//
// Source: Loshchilov and Hutter, 2019, Algorithm 2; Kingma and Ba, 2015,
// Algorithm 1, and the form with the corrected rate from the end of section 2.
func (o *AdamW) Step(lr float64) {
	panic(tensor.TODO("step11: AdamW.Step"))
}
