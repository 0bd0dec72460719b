//go:build unlisted

package block

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
)

// first-residual-missing: y is only Attn(Norm1(x))
//
// Why: x is not added to the output of attention; Backward fits.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		copy(b.y.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		copy(b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// second-residual-is-x: z is x + FFN(Norm2(y))
//
// Why: x and not y is added to the feed-forward network's output: what attention found is left out of the stream; Backward is that of y.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// normalised-residual: z is Norm2(y) + FFN(Norm2(y))
//
// Why: The normalised y is added in place of y itself: the stream is normalised in every block.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		normed := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, normed.Data, b.FFN.Forward(normed).Data)
	}
}

// parallel-branches: both branches read x, as in GPT-J
//
// Why: The feed-forward network gets Norm2(x) and not Norm2(y): it does not see what attention found; Backward is that of y.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
	}
}

// post-norm: the sums are normalised and not the inputs of the branches
//
// Why: The block is y = Norm1(x + Attn(x)), z = Norm2(y + FFN(y)), the post-norm order of the first Transformer.
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	b.y = tensor.Reuse(b.y, x.Shape...)
	kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
	y := b.Norm1.Forward(b.y)
	b.z = tensor.Reuse(b.z, x.Shape...)
	kernel.Add(b.z.Data, y.Data, b.FFN.Forward(y).Data)
	return b.Norm2.Forward(b.z)
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	dSum := b.Norm2.Backward(dz)
	b.dy = tensor.Reuse(b.dy, dz.Shape...)
	kernel.Add(b.dy.Data, dSum.Data, b.FFN.Backward(dSum).Data)
	dSum = b.Norm1.Backward(b.dy)
	b.dx = tensor.Reuse(b.dx, dz.Shape...)
	kernel.Add(b.dx.Data, dSum.Data, b.Attn.Backward(dSum).Data)
	return b.dx
}

// residuals-halved: every sum is divided by √2
//
// Why: y and z are divided by √2, as some do to keep the variance; Backward fits.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		kernel.Scale(float32(1/math.Sqrt2), b.y.Data)
	}
	if right {
		return b.z
	} else {
		kernel.Scale(float32(1/math.Sqrt2), b.z.Data)
		return b.z
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		scaled := dz.Clone()
		kernel.Scale(float32(1/math.Sqrt2), scaled.Data)
		kernel.Add(b.dy.Data, scaled.Data, b.Norm2.Backward(b.FFN.Backward(scaled)).Data)
		kernel.Scale(float32(1/math.Sqrt2), b.dy.Data)
	}
}

// norms-exchanged: ln1 stands before the feed-forward network and ln2 before attention
//
// Why: The two gains have changed their places, in Forward and in Backward.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm2.Forward(x), positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm1.Forward(b.y)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.Norm1.Backward(b.FFN.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm2.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// norm1-twice: Norm1 normalises for both branches
//
// Why: Norm1 is used before the feed-forward network too, so that ln2 has no effect and Norm1's Backward belongs to y.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm1.Forward(b.y)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.Norm1.Backward(b.FFN.Backward(dz)).Data)
	}
}

// attention-gets-dz: what goes back through attention is dz and not dy
//
// Why: Attention's branch gets the gradient of z where it should get that of y: what comes through the feed-forward network is missing from its gradients.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// dz-not-passed-on: dy is only what comes back through the branch
//
// Why: In dy the gradient that comes straight through the sum is missing.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// dz-passed-on-twice: dz is added to dx once more
//
// Why: dx has dz twice: dy contains it already.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
		kernel.Add(b.dx.Data, b.dx.Data, dz.Data)
	}
}

// norm2-left-out-of-backward: what comes back through the feed-forward network skips Norm2
//
// Why: dy lacks the derivative of Norm2, and ln2's gradient stays 0.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)
	}
}
