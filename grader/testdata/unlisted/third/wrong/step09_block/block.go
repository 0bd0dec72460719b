//go:build unlisted

package block

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// one-y-for-all-blocks: y, the stream between the branches, is a variable of the package
//
// Why: the Forward of another block overwrites the y that Norm2 keeps, so Backward of the first block is wrong.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		stream = tensor.Reuse(stream, x.Shape...)
		b.y = stream
	}
}

var stream *tensor.Tensor

// one-dx-for-all-blocks: dx is a variable of the package
//
// Why: the Backward of one block overwrites the dx that another block returned, which should live until that block's next Backward; in a stack it writes into its own dz.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		gradient = tensor.Reuse(gradient, dz.Shape...)
		b.dx = gradient
	}
}

var gradient *tensor.Tensor

// buffers-of-first-forward: y and z are allocated by the first Forward and kept whatever comes
//
// Why: a second Forward with another batch or length panics.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		if b.y == nil {
			b.y = tensor.New(x.Shape...)
		}
	}
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		if b.z == nil {
			b.z = tensor.New(x.Shape...)
		}
	}
}

// z-of-largest-batch: z keeps the shape of the largest batch so far
//
// Why: after a smaller batch z is returned with the old shape and old numbers at its end, and Backward refuses a dz of the right shape.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		if b.z == nil || b.z.Len() < x.Len() {
			b.z = tensor.New(x.Shape...)
		}
		kernel.Add(b.z.Data[:x.Len()], b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// params-rename-the-originals: Block.Params writes its names into the parameters that the caller gave to New
//
// Why: what was called layers.3.ln1.weight is called ln1.weight after Params; the names belong to the caller's parameters.
func (*Block) Params() {
	if right {
		named := func(name string, p *tensor.Param) *tensor.Param {
			return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
		}
	} else {
		named := func(name string, p *tensor.Param) *tensor.Param {
			p.Name = name
			return p
		}
	}
}

// params-with-new-gradients: Block.Params gives every parameter a fresh gradient of zeros
//
// Why: Backward adds to the layers' gradients, and those that Params returned stay 0.
func (*Block) Params() {
	if right {
		named := func(name string, p *tensor.Param) *tensor.Param {
			return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
		}
	} else {
		named := func(name string, p *tensor.Param) *tensor.Param {
			return tensor.NewParam(name, p.Value)
		}
	}
}

// one-row-is-counted: one row of positions is taken for 0, 1, …, T−1, whatever it says
//
// Why: a single row with gaps, such as 0, 3, 9, is replaced, so distances and therefore scores are wrong; positions outside RoPE's tables are not refused.
func (*Block) Forward() {
	if right {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	} else {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
		if len(positions) == 1 {
			row := make([]int, x.Dim(1))
			for t := range row {
				row[t] = t
			}
			positions = [][]int{row}
		}
	}
}

// one-token-needs-no-attention: for T = 1 the attention branch is left out, in both directions
//
// Why: a single token attends to itself, and Attn(Norm1(x)) is its value through W_O, not 0; here y = x, dx = dy and its weights get no gradient.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		if x.Dim(1) == 1 {
			copy(b.y.Data, x.Data)
		} else {
			kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		}
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		if dz.Dim(1) == 1 {
			copy(b.dx.Data, b.dy.Data)
		} else {
			kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
		}
	}
}

// post-norm: norms stand after the sums: y = Norm1(x + Attn(x)), z = Norm2(y + FFN(y)), with the derivative of this
//
// Why: this is the block of 2017; the pre-norm block normalises what the branches read and leaves the stream alone.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
		return b.z
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
		y := b.Norm1.Forward(b.y)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, y.Data, b.FFN.Forward(y).Data)
		return b.Norm2.Forward(b.z)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		dSum := b.Norm2.Backward(dz)
		kernel.Add(b.dy.Data, dSum.Data, b.FFN.Backward(dSum).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		dStream := b.Norm1.Backward(b.dy)
		kernel.Add(b.dx.Data, dStream.Data, b.Attn.Backward(dStream).Data)
	}
}

// norm-after-branch: norms stand at the end of the branches: y = x + Norm1(Attn(x)), z = y + Norm2(FFN(y)), with the derivative of this
//
// Why: the branch has to read Norm(x) and add what it computes; here it reads x and adds something normalised.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Norm1.Forward(b.Attn.Forward(x, positions)).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.Norm2.Forward(b.FFN.Forward(b.y)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)
	}
}

// feed-forward-first: the feed-forward network comes before attention: y = x + FFN(Norm2(x)), z = y + Attn(Norm1(y)), with the derivative of this
//
// Why: the branches are in the opposite order; attention should read x and the feed-forward network what attention brought.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.Attn.Forward(b.Norm1.Forward(b.y), positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm2.Backward(b.FFN.Backward(b.dy)).Data)
	}
}

// norm-of-attention-alone: Norm2 reads what attention returned and not y, in Forward only
//
// Why: z = y + FFN(Norm2(Attn(Norm1(x)))): the feed-forward network does not see x itself; Backward sends its gradient to y all the same.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		attended := b.Attn.Forward(b.Norm1.Forward(x), positions)
		kernel.Add(b.y.Data, x.Data, attended.Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(attended)).Data)
	}
}

// sums-over-root-two: both sums are divided by √2, in Forward only
//
// Why: y = (x + Attn(Norm1(x)))/√2 and z likewise, to keep the variance; the block has plain sums, and Backward is that of plain sums.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		kernel.Scale(float32(1/math.Sqrt2), b.y.Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
		kernel.Scale(float32(1/math.Sqrt2), b.z.Data)
	}
}

// residual-through-norm: Backward adds dz before Norm2 and not after: dy = Norm2'(dz + FFN'(dz))
//
// Why: what came directly from z to y has not passed Norm2 and must not go back through it; dx and ln2's gradient are wrong.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)
		copy(b.dy.Data, b.Norm2.Backward(b.dy).Data)
	}
}

// norms-undone-first: Backward goes through a norm before the layer after it: FFN'(Norm2'(dz)) and Attn'(Norm1'(dy))
//
// Why: the branch is undone in the order of Forward and not in the opposite one; Forward is right.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)
	}
}

// dz-added-twice: dx = dz + dy + Norm1'(Attn'(dy)), although dy holds dz already
//
// Why: the direct way from z to x is counted twice; the gradients of the block's own parameters are right, dx is not.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
		kernel.Add(b.dx.Data, b.dx.Data, dz.Data)
	}
}
