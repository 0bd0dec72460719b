//go:build unlisted

package block

// gradient-in-the-norms-memory: dx is added up in what Norm1.Backward returned
//
// Why: that is valid until the norm's next Backward, which is the block's next Backward.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		b.dx = b.Norm1.Backward(b.Attn.Backward(b.dy))
		for i, d := range b.dy.Data {
			b.dx.Data[i] += d
		}
	}
}

// everything-new: Forward makes y and z anew in every call, with plain loops
//
// Why: new memory is valid for longer than it must be.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	b.y = x.Clone()
	for i, v := range b.Attn.Forward(b.Norm1.Forward(x), positions).Data {
		b.y.Data[i] += v
	}
	b.z = b.y.Clone()
	for i, v := range b.FFN.Forward(b.Norm2.Forward(b.y)).Data {
		b.z.Data[i] += v
	}
	return b.z
}
