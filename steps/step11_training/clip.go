package training

import "github.com/stubformer/stubformer/reference/tensor"

// ClipGradNorm bounds the length of the gradient, of all parameters together
// taken as one vector, and returns its length before:
//
//	norm = √(Σ g²)                          over every element of every gradient
//	g    = g · maxNorm/(norm + 10⁻⁶)        if norm > maxNorm
//
// A gradient that is not too long is not changed. Sum the squares in
// float64; kernel.SumSquares does, and kernel.Scale scales.
//
// Source: Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent
// neural networks", 2013, Algorithm 1; the 10⁻⁶ is PyTorch's.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	panic(tensor.TODO("step11: ClipGradNorm"))
}
