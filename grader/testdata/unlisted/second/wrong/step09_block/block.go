//go:build unlisted

package block

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// one-z-for-all-blocks: z is a variable of the package
//
// Why: a Forward of one block overwrites the z of another, which is the x that the next block keeps.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		if stream == nil || !stream.SameShape(x) {
			stream = tensor.New(x.Shape...)
		}
		b.z = stream
	}
}

var stream *tensor.Tensor

// z-in-y: z takes the memory of y
//
// Why: Norm2 keeps y for its Backward and finds z there, so the gradients are wrong.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		b.z = b.y
	}
}

// first-positions-kept: positions of the first Forward are used in all later ones
//
// Why: a second Forward with other positions, or of another length, is computed with the old ones.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		if b.positions == nil {
			b.positions = positions
		}
		positions = b.positions
		b.y = tensor.Reuse(b.y, x.Shape...)
	}
}

type Block struct {
	Norm1 *rmsnorm.RMSNorm // before Attn
	Attn  *attention.MultiHead
	Norm2 *rmsnorm.RMSNorm // before FFN
	FFN   *swiglu.SwiGLU

	positions [][]int
	y, z      *tensor.Tensor
	dy, dx    *tensor.Tensor
}

// forward-not-asked-for: Backward does not ask whether there was a Forward
//
// Why: Backward before any Forward fails with a nil pointer and not with a ShapeError.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	} else {
	}
}

// gradients-cleared-first: Backward clears the gradients of the block
//
// Why: gradients of two batches do not add up; only the last one's are left.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	} else {
		for _, p := range b.Params() {
			p.ZeroGrad()
		}
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	}
}

// dx-added-up: dx is added to what the last Backward returned
//
// Why: the second Backward returns the sum of both dx.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		if b.dx == nil || !b.dx.SameShape(dz) {
			b.dx = tensor.New(dz.Shape...)
		}
		kernel.Add(b.dx.Data, b.dx.Data, b.dy.Data)
		kernel.Add(b.dx.Data, b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// second-residual-from-x: FFN's output is added to x and not to y
//
// Why: what attention found reaches z only through the feed-forward network; the gradients fit that.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
		kernel.Add(b.dx.Data, b.dx.Data, dz.Data)
	}
}

// residuals-halved: sum of stream and attention is divided by 2
//
// Why: y is the mean of x and Attn(Norm1(x)) and not their sum; the gradients fit that.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		kernel.Scale(0.5, b.y.Data)
		b.z = tensor.Reuse(b.z, x.Shape...)
	}
}

func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		kernel.Scale(0.5, b.dy.Data)
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	}
}

// dx-from-dz: first residual passes on dz in place of dy
//
// Why: dx lacks what came back through the feed-forward network.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// norm-undone-before-attention: gradient goes through Norm1 before it goes through Attn
//
// Why: the layers are undone in the order of Forward and not in the opposite one.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)
	}
}
