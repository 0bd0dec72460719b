package oracle

import (
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
)

func init() {
	layer("linear", func(c *call) ([]*autodiff.Tensor, error) {
		return one(Linear(c.tensor("x"), c.tensor("w")))
	})
}

// Linear returns y = x Wᵀ, that is y[…, o] = Σ_i x[…, i]·w[o, i].
//
//	x (…, in), w (out, in), result (…, out)
func Linear(x, w *autodiff.Tensor) *autodiff.Tensor {
	lead := x.Shape[:len(x.Shape)-1]
	rows := 1
	for _, d := range lead {
		rows *= d
	}
	flat := autodiff.Reshape(x, rows, x.Shape[len(x.Shape)-1])
	y := autodiff.MatMul(flat, autodiff.Transpose(w))
	return autodiff.Reshape(y, append(slices.Clone(lead), w.Shape[0])...)
}
