//go:build unlisted

package block

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// dx-in-the-memory-of-z: Backward writes dx where z is, to save a buffer
//
// Why: z is valid until the next Forward. A caller that looks at z after Backward finds the gradient there.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		b.dx = b.z
	}
}

// dz-lent-and-given-back: dy is added up in dz, and what was added is taken away at the end
//
// Why: (dz + a) − a is not dz in floating point. dz belongs to the caller and is not changed.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		branch := b.Norm2.Backward(b.FFN.Backward(dz))
		kernel.Add(dz.Data, dz.Data, branch.Data)
		b.dy = dz
	}
	if right {
		return b.dx
	} else {
		kernel.Axpy(-1, branch.Data, dz.Data)
		return b.dx
	}
}

// first-row-of-positions: the attention gets the positions of the first sequence for all of them
//
// Why: positions may be (B, T) with another row for every sequence; and too few or too many rows are no longer refused.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions[:1]).Data)
	}
}

// length-for-shape: y and z are made anew only if the number of elements has changed
//
// Why: after a call with (2, 3, D) one with (3, 2, D) returns a z of the shape (2, 3, D), and Backward refuses a dz that is right.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		if b.y == nil || b.y.Len() != x.Len() {
			b.y = tensor.New(x.Shape...)
			b.z = tensor.New(x.Shape...)
		}
	}
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
	}
}

// forward-clears-the-gains: Forward sets the gradients of both gains to 0, to begin afresh
//
// Why: Backward adds. Over two rounds of Forward and Backward the gains keep the second gradient only, unlike all other parameters.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		b.Norm1.Gain.ZeroGrad()
		b.Norm2.Gain.ZeroGrad()
		b.y = tensor.Reuse(b.y, x.Shape...)
	}
}

// y-shared-by-all-blocks: the stream between the two branches is a buffer of the package
//
// Why: Norm2 keeps y until Backward. In a stack of two blocks the first one's Norm2 finds the second one's y.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		middle = tensor.Reuse(middle, x.Shape...)
		b.y = middle
	}
}

var middle *tensor.Tensor

// dy-in-the-memory-of-y: Backward writes dy where y is, which nobody seems to need any more
//
// Why: Norm2 reads y in every Backward. A second Backward of the same Forward, for another loss, is wrong.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	} else {
		b.dy = b.y
	}
}

// straight-way-from-dz: the direct way of x takes dz along and not dy
//
// Why: dx lacks what came through the FFN and the first residual; the gradients of all parameters of this block are right.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// dx-never-shrinks: sizes of the Backward buffers come from the first call and are never reduced
//
// Why: after a longer sequence, the dx of a shorter one has the shape of the longer, with old numbers at its end.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		if b.dx == nil || b.dx.Len() < dz.Len() {
			b.dx = tensor.New(dz.Shape...)
		}
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data[:dz.Len()], b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}
