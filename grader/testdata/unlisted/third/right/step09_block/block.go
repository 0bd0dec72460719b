//go:build unlisted

package block

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// copies-of-everything: every tensor that goes from layer to layer is copied, in fresh memory, and added with loops
//
// Why: the layers keep copies that nobody else sees; y and z are new tensors, valid until the next Forward and after it.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	normed := b.Norm1.Forward(x.Clone()).Clone()
	y := b.Attn.Forward(normed, positions).Clone()
	for i, v := range x.Data {
		y.Data[i] += v
	}
	z := b.FFN.Forward(b.Norm2.Forward(y.Clone()).Clone()).Clone()
	for i, v := range y.Data {
		z.Data[i] += v
	}
	b.z = z
	return z
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	dy := b.Norm2.Backward(b.FFN.Backward(dz.Clone()).Clone()).Clone()
	for i, v := range dz.Data {
		dy.Data[i] += v
	}
	dx := b.Norm1.Backward(b.Attn.Backward(dy.Clone()).Clone()).Clone()
	for i, v := range dy.Data {
		dx.Data[i] += v
	}
	return dx
}

// dx-in-memory-of-dy: Backward adds the attention branch to dy itself and returns it
//
// Why: when Attn and Norm1 have returned nobody needs dy any more; dx lives until the next Backward all the same.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
		return b.dx
	} else {
		branch := b.Norm1.Backward(b.Attn.Backward(b.dy))
		kernel.Add(b.dy.Data, branch.Data, b.dy.Data)
		return b.dy
	}
}

// branches-summed-first: z = x + (Attn + FFN) and dx = dz + (both branches), in float64
//
// Why: the sum of three in another order; y is still what Norm2 reads.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		attended := b.Attn.Forward(b.Norm1.Forward(x), positions)
		for i := range b.y.Data {
			b.y.Data[i] = attended.Data[i] + x.Data[i]
		}
		fed := b.FFN.Forward(b.Norm2.Forward(b.y))
		b.z = tensor.New(x.Shape...)
		for i := range b.z.Data {
			b.z.Data[i] = float32(float64(x.Data[i]) + (float64(attended.Data[i]) + float64(fed.Data[i])))
		}
	}
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	second := b.Norm2.Backward(b.FFN.Backward(dz))
	b.dy = tensor.Reuse(b.dy, dz.Shape...)
	for i := range b.dy.Data {
		b.dy.Data[i] = second.Data[i] + dz.Data[i]
	}
	first := b.Norm1.Backward(b.Attn.Backward(b.dy))
	b.dx = tensor.Reuse(b.dx, dz.Shape...)
	for i := range b.dx.Data {
		b.dx.Data[i] = float32(float64(dz.Data[i]) + (float64(first.Data[i]) + float64(second.Data[i])))
	}
	return b.dx
}
