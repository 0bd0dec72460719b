package oracle

import (
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
)

func init() {
	layer("embedding", func(c *call) ([]*autodiff.Tensor, error) {
		return one(Embedding(c.indices("ids"), c.tensor("w")))
	})
}

// Indices is a row-major array of integers: token ids, targets or positions.
type Indices struct {
	Shape []int
	Data  []int
}

// Embedding looks up one row of w for every token id.
//
//	ids (…), w (V, D), result (…, D)
//
// Source: Vaswani et al., "Attention Is All You Need" (arXiv:1706.03762),
// section 3.4; without the factor √d_model.
func Embedding(ids Indices, w *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Reshape(autodiff.Rows(w, ids.Data), append(slices.Clone(ids.Shape), w.Shape[1])...)
}
