//go:build unlisted

package block

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// copies-and-loops: plain loops over copies, new memory in every call
//
// Why: everything that a layer keeps has memory of its own, and so has everything that is returned.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	y := x.Clone()
	for i, v := range b.Attn.Forward(b.Norm1.Forward(x), positions).Data {
		y.Data[i] += v
	}
	z := y.Clone()
	for i, v := range b.FFN.Forward(b.Norm2.Forward(y)).Data {
		z.Data[i] += v
	}
	b.y, b.z = y, z
	return z
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	dy := tensor.From(slices.Clone(dz.Data), dz.Shape...)
	for i, v := range b.Norm2.Backward(b.FFN.Backward(dz)).Data {
		dy.Data[i] += v
	}
	dx := tensor.From(slices.Clone(dy.Data), dy.Shape...)
	for i, v := range b.Norm1.Backward(b.Attn.Backward(dy)).Data {
		dx.Data[i] += v
	}
	return dx
}
