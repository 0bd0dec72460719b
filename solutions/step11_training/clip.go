package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// ClipGradNorm bounds the length of the gradient, of all parameters together
// taken as one vector, and returns its length before:
//
//	norm = √(Σ g²)                          over every element of every gradient
//	g    = g · maxNorm/(norm + 10⁻⁶)        if norm > maxNorm
//
// A gradient that is not too long is not changed. Scaling keeps its direction.
//
// Source: Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent
// neural networks", 2013, Algorithm 1; the 10⁻⁶ is PyTorch's.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	squares := 0.0
	for _, p := range params {
		squares += kernel.SumSquares(p.Grad.Data)
	}
	norm := math.Sqrt(squares)
	if norm > maxNorm {
		for _, p := range params {
			kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
		}
	}
	return norm
}
