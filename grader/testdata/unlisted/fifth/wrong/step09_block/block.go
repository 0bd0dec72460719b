//go:build unlisted

package block

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// stream-added-into-x: y is x itself, with the branch added to it
//
// Why: x is not to be changed, and Norm1 keeps it for Backward: the caller's tensor
// is another one afterwards and the gradients through Norm1 are wrong.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		b.y = x
	}
}

// z-in-the-memory-of-y: the second branch is added to y in place
//
// Why: z is right, but Norm2 keeps y for Backward and finds z there: dx and the
// gradients of ln2 are wrong.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		b.z = b.y
		kernel.Add(b.z.Data, b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// y-keeps-its-old-shape: y is made anew only if the number of elements differs
//
// Why: after (2, 3, D) an x of (3, 2, D) goes through the second half with the shape
// (2, 3, D), and Backward with a dz of the right shape panics.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		if b.y == nil || b.y.Len() != x.Len() {
			b.y = tensor.New(x.Shape...)
		}
	}
}

// residual-of-the-normalised-y: z = Norm2(y) + FFN(Norm2(y))
//
// Why: the stream is normalised on its way, which is not z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		h := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, h.Data, b.FFN.Forward(h).Data)
	}
}

// branches-side-by-side: the feed-forward network reads Norm2(x), as in GPT-J, and Backward goes with it
//
// Why: z = x + Attn(Norm1(x)) + FFN(Norm2(x)) is consistent with its gradients, but
// another block: FFN is to read y.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// positions-made-up: no positions at all stand for 0, …, T−1
//
// Why: positions of the wrong shape, none included, are to panic with a ShapeError.
func (*Block) Forward() {
	if right {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	} else {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
		if len(positions) == 0 {
			row := make([]int, x.Dim(1))
			for t := range row {
				row[t] = t
			}
			positions = [][]int{row}
		}
	}
}

// dz-added-into: dy is dz itself, with the branch's gradient added to it
//
// Why: dz belongs to the caller and is not to be changed; a second Backward with
// the same dz gives other gradients.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data) // (1) and (2)
	} else {
		kernel.Add(dz.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data) // (1) and (2)
		b.dy = dz
	}
}

// dx-from-dz: the last line adds to dz in place of dy
//
// Why: dx lacks what came back through the feed-forward network and goes straight
// on; a finite difference of the loss along x differs.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
	}
}

// norm-before-network-on-the-way-back: Norm2.Backward is called first and FFN.Backward with its result
//
// Why: all shapes agree, but the chain rule undoes the last function first; dx and
// the gradients of all nine parameters are wrong.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data) // (1) and (2)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data) // (1) and (2)
	}
}

// gradients-cleared-first: Backward sets the gradients of the nine parameters to 0 before it begins
//
// Why: Backward adds to the gradients; what earlier calls left there is lost, and
// two parts of a batch do not add up.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	} else {
		tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
		for _, p := range b.Params() {
			p.ZeroGrad()
		}
	}
}

// nothing-to-do-without-forward: Backward before any Forward returns dz
//
// Why: it is to panic with a ShapeError if no Forward came before.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	} else {
		if b.z == nil {
			return dz
		}
	}
}

// dx-shared-by-all-blocks: the buffer of dx is a variable of the package
//
// Why: dx is valid until the next Backward of its block, but the Backward of the
// block below, which is given it as its dz, overwrites it; goroutines with blocks of
// their own disturb each other.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
		return b.dx
	} else {
		scratch = tensor.Reuse(scratch, dz.Shape...)
		kernel.Add(scratch.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)
		return scratch
	}
}

var scratch *tensor.Tensor // (B, T, D), reused by every Backward
