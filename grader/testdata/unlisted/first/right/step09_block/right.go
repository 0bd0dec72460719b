//go:build unlisted

package block

import "github.com/stubformer/stubformer/reference/tensor"

// new-tensors: every sum is a new tensor, made by a helper that takes any number of summands
//
// Why: Right: nothing is used again, so nothing is overwritten.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	b.y = added(x, b.Attn.Forward(b.Norm1.Forward(x), positions))
	b.z = added(b.FFN.Forward(b.Norm2.Forward(b.y)), b.y)
	return b.z
}

func added(tensors ...*tensor.Tensor) *tensor.Tensor {
	sum := tensors[0].Clone()
	for _, t := range tensors[1:] {
		for i, v := range t.Data {
			sum.Data[i] = float32(float64(sum.Data[i]) + float64(v))
		}
	}
	return sum
}

// three-summands: dx is the sum of dz and of what comes back through the two branches
//
// Why: Right: dx = dz + branch 2 + branch 1, the same sum in another order.
func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	second := b.Norm2.Backward(b.FFN.Backward(dz)).Clone()
	dy := second.Clone()
	for i, d := range dz.Data {
		dy.Data[i] += d
	}
	first := b.Norm1.Backward(b.Attn.Backward(dy))
	dx := tensor.New(dz.Shape...)
	for i := range dx.Data {
		dx.Data[i] = (first.Data[i] + second.Data[i]) + dz.Data[i]
	}
	return dx
}
