//go:build unlisted

package block

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// dx-over-dy: dx takes the memory of dy, which nobody needs any more
//
// Why: Attn.Backward has read dy before the sum is written over it, element by
// element; dz is not touched.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
		return b.dx
	} else {
		back := b.Norm1.Backward(b.Attn.Backward(b.dy)) // (3)
		for i, g := range back.Data {
			b.dy.Data[i] += g
		}
		return b.dy
	}
}

// works-on-copies: Forward copies x and the positions, and everything is allocated in every call
//
// Why: the caller may change x and positions afterwards, which is more than promised.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	own := make([][]int, len(positions))
	for i, row := range positions {
		own[i] = slices.Clone(row)
	}
	kept := x.Clone()
	attended := b.Attn.Forward(b.Norm1.Forward(kept), own)
	b.y = kept.Clone()
	for i, v := range attended.Data {
		b.y.Data[i] += v
	}
	b.z = b.FFN.Forward(b.Norm2.Forward(b.y)).Clone()
	for i, v := range b.y.Data {
		b.z.Data[i] = float32(float64(v) + float64(b.z.Data[i]))
	}
	return b.z
}

// branches-as-functions: a residual is a function that adds the result of another to what it was given
//
// Why: the same sums in the same order, written once for both halves and both directions.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	b.y = residual(b.y, x, func(x *tensor.Tensor) *tensor.Tensor { return b.Attn.Forward(b.Norm1.Forward(x), positions) })
	b.z = residual(b.z, b.y, func(y *tensor.Tensor) *tensor.Tensor { return b.FFN.Forward(b.Norm2.Forward(y)) })
	return b.z
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	if b.z == nil || dz == nil {
		panic(tensor.ShapeError{Op: "Block.Backward: no dz, or no Forward before"})
	}
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	b.dy = residual(b.dy, dz, func(g *tensor.Tensor) *tensor.Tensor { return b.Norm2.Backward(b.FFN.Backward(g)) })
	b.dx = residual(b.dx, b.dy, func(g *tensor.Tensor) *tensor.Tensor { return b.Norm1.Backward(b.Attn.Backward(g)) })
	return b.dx
}

func residual(dst, x *tensor.Tensor, branch func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	added := branch(x)
	dst = tensor.ReuseLead(dst, x.Lead(1), x.Dim(-1))
	for i := range dst.Data {
		dst.Data[i] = added.Data[i] + x.Data[i]
	}
	return dst
}

// sums-on-goroutines: the addition of the first residual is cut into pieces for several goroutines
//
// Why: the pieces do not overlap, and Forward waits for them.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		added := b.Attn.Forward(b.Norm1.Forward(x), positions)
		var all sync.WaitGroup
		for row := range x.Rows() {
			all.Go(func() { kernel.Add(b.y.Row(row), x.Row(row), added.Row(row)) })
		}
		all.Wait()
	}
}
