package oracle

import (
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("silu", func(c *call) ([]*autodiff.Tensor, error) { return one(SiLU(c.tensor("x"))) })
	layer("swiglu", func(c *call) ([]*autodiff.Tensor, error) {
		return one(SwiGLU(c.tensor("x"), c.tensor("w1"), c.tensor("w2"), c.tensor("w3")))
	})
	answer("dff", dff)
}

// SiLU returns y = x·σ(x), element by element, with the logistic function
// σ(x) = 1/(1+e⁻ˣ). It is exact for large |x|.
//
// Source: Elfwing, Uchibe and Doya, "Sigmoid-Weighted Linear Units for Neural
// Network Function Approximation in Reinforcement Learning"
// (arXiv:1702.03118), section 2.
func SiLU(x *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Mul(x, autodiff.Sigmoid(x))
}

// DFF returns the inner size of a SwiGLU: the multiple of 64 nearest to
// 8/3·dModel, a tie rounding up, and at least 64. The factor 8/3 = 2/3·4 keeps
// the number of parameters of a network with two matrices and 4·dModel.
//
// Source: Shazeer, "GLU Variants Improve Transformer" (arXiv:2002.05202),
// section 3.
func DFF(dModel int) int {
	multiples := (dModel + 12) / 24 // ⌊8/3·dModel/64 + 1/2⌋
	return 64 * max(multiples, 1)
}

// SwiGLU returns y = W2 (SiLU(W1 x) ⊙ W3 x).
//
//	x (…, D), w1 (F, D), w2 (D, F), w3 (F, D), result (…, D)
//
// Source: Shazeer, "GLU Variants Improve Transformer" (arXiv:2002.05202),
// section 2, equation 6, with β = 1.
func SwiGLU(x, w1, w2, w3 *autodiff.Tensor) *autodiff.Tensor {
	act := siluOf(linearOf(x, w1).Named("gate")).Named("act") // (…, F)
	up := linearOf(x, w3).Named("up")
	return linearOf(autodiff.Mul(act, up).Named("hidden"), w2)
}

func dff(c *call) (wire.Values, error) {
	return wire.Values{"d_ff": wire.Int(DFF(c.int("d_model")))}, nil
}
