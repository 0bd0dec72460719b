package oracle

import (
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("rmsnorm", func(c *call) ([]*autodiff.Tensor, error) {
		return one(RMSNorm(c.tensor("x"), c.tensor("g")))
	})
	answer("gain", gain)
}

// Eps is the ε of RMSNorm.
const Eps = 1e-5

// RMSNorm returns y = x / √(mean(x²) + ε) ⊙ g, with the mean over the last
// dimension and ε inside the root.
//
//	x (…, D), g (D), result (…, D)
//
// Source: Zhang and Sennrich, "Root Mean Square Layer Normalization"
// (arXiv:1910.07467), section 4, equation 4.
func RMSNorm(x, g *autodiff.Tensor) *autodiff.Tensor {
	meanSquare := autodiff.Mean(autodiff.Mul(x, x), -1) // (…, 1)
	inverseRMS := autodiff.Pow(autodiff.Shift(meanSquare, Eps).Labelled("ε"), -0.5).Named("r")
	return autodiff.Mul(autodiff.Mul(x, inverseRMS).Named("h"), g)
}

func gain(c *call) (wire.Values, error) {
	return wire.Values{"g": result(autodiff.Full(1, c.int("d")))}, nil
}
