package moe

import "github.com/stubformer/stubformer/reference/tensor"

// Losses returns the two losses of the last Forward, without α and β:
//
//	balance = E·Σᵢ fᵢ·Pᵢ         f: the share of expert i of the k·T slots, Σ f = 1
//	                             P: the mean over the tokens of softmax(logits)ᵢ
//	z       = 1/T·Σ_t (ln Σᵢ e^logits)²
//
// Tokens that are padding are in none of these, and T does not count them; without a
// token that counts both are 0. The balance is 1 where the load is even, whatever k and
// E are. f is piecewise constant: the gradient goes through P alone.
//
// Source: Fedus et al., "Switch Transformers", 2021, equations 4 to 6; Zoph et al.,
// "ST-MoE", 2022, equation 5.
func (m *Mixture) Losses() (balance, z float64) {
	panic(tensor.TODO("step18: Mixture.Losses"))
}

// Load returns f, (E), of the last Forward. It is valid until the next one.
func (m *Mixture) Load() []float64 {
	panic(tensor.TODO("step18: Mixture.Load"))
}

// Sum returns the losses of several layers: each has an f and a P of its own, and the
// losses are added up.
func Sum(layers []*Mixture) (balance, z float64) {
	panic(tensor.TODO("step18: Sum"))
}
