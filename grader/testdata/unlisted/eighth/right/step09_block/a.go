//go:build unlisted

package block

// everything-cloned: each part's result is cloned, and the sums run in float64
//
// Why: z and dx are new tensors, which live longer than promised; the sums are the same.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	add := func(p, q *tensor.Tensor) *tensor.Tensor {
		sum := p.Clone()
		for i, v := range q.Data {
			sum.Data[i] = float32(float64(sum.Data[i]) + float64(v))
		}
		return sum
	}
	b.y = add(b.Attn.Forward(b.Norm1.Forward(x), positions), x)
	b.z = add(b.FFN.Forward(b.Norm2.Forward(b.y)), b.y)
	return b.z
}

// dx-in-dys-memory: dx is dy, added to in place
//
// Why: dy is the block's own tensor and no longer needed; both sums are those of the formula.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		b.dx = b.dy
		kernel.Add(b.dx.Data, b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}
