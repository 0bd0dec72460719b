package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// Grouped returns a function that stands in for NewMultiHead of step 08, so that a
// model that knows nothing of groups has numKVHeads heads of keys and values. Where it
// is given a qkv of (3D, D), as step 10 draws it, the layer gets a parameter of its
// own: all of the queries' rows, and the first E of the keys' and of the values'.
func Grouped(numKVHeads int) func(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	return func(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
		if d := output.Value.Dim(0); numKVHeads < numHeads && qkv.Value.Dim(0) == 3*d {
			e := numKVHeads * (d / numHeads)
			rows := qkv.Value.Clone()
			copy(rows.Slice(d+e, d+2*e).Data, qkv.Value.Slice(2*d, 2*d+e).Data)
			qkv = tensor.NewParam(qkv.Name, rows.Slice(0, d+2*e))
		}
		return NewMultiHead(qkv, output, numHeads, r)
	}
}
