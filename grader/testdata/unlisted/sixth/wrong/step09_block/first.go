//go:build unlisted

package block

// z-over-y: z is computed in the memory of y
//
// Why: Norm2 keeps y until Backward and finds z there; dx and the gradients differ.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		b.z = b.y
	}
}

// x-gets-the-sum: the first residual is added to the caller's x
//
// Why: x is not to be changed, and Norm1 keeps it for Backward.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		copy(b.y.Data, x.Data)
	}
}

// dz-gets-the-sum: Backward adds dy up in the caller's dz
//
// Why: dx is right, but dz belongs to the caller and is not to be changed.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(dz.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
		b.dy = dz
	}
}

// attention-gets-dz: the attention's branch is given dz in place of dy
//
// Why: what came through FFN does not reach Attn; its gradients and dx differ.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// one-gain-for-both: Norm2 is made from ln1
//
// Why: with gains that differ z is wrong, and ln2 gets no gradient.
func New() {
	if right {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
	} else {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln1), FFN: ffn}
	}
}

// z-of-the-first-shape: z is allocated once
//
// Why: a later Forward with another B or T panics.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		if b.z == nil {
			b.z = tensor.New(x.Shape...)
		}
	}
}

// shape-of-z-by-its-length: z is made anew only when the number of elements is another one
//
// Why: after (2, 3, D) an x of (3, 2, D) gives a z of shape (2, 3, D).
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		if b.z == nil || b.z.Len() != x.Len() {
			b.z = tensor.New(x.Shape...)
		}
	}
}

// params-with-new-gradients: the named parameters have gradients of their own
//
// Why: Backward adds to the layers' gradients; those of Params stay 0.
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

// w3-under-the-name-of-w2: w2 and w3 are exchanged in Params
//
// Why: ffn.w2.weight must be the (D, F) one.
func (*Block) Params() {
	if right {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	} else {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W3.Weight), named("ffn.w3.weight", b.FFN.W2.Weight))
	}
}

// any-ffn-is-taken: New does not look at the width of the feed-forward network
//
// Why: New must panic with a ShapeError if the sizes differ.
func New() {
	if right {
		tensor.CheckShape("block.New: weight w1 of ffn", ffn.W1.Weight.Value, tensor.Any, d)
	} else {
	}
}

// any-second-gain-is-taken: New looks at ln1 alone
//
// Why: New must panic with a ShapeError if the sizes differ.
func New() {
	if right {
		tensor.CheckShape("block.New: ln2", ln2.Value, d)
	} else {
	}
}

// backward-before-forward-is-nil: Backward asks for the shape of z without looking whether there is one
//
// Why: without a Forward it must panic with a ShapeError and not with a nil pointer.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	} else {
	}
}

// a-row-of-positions-for-each: one row of positions for the whole batch is refused
//
// Why: positions may be (1, T).
func (*Block) Forward() {
	if right {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	} else {
		tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
		if len(positions) != x.Dim(0) {
			panic(tensor.ShapeError{Op: "Block.Forward: rows of positions", Got: []int{len(positions)}, Want: []int{x.Dim(0)}})
		}
	}
}

// dy-summed-over-calls: dy is added up in its buffer, which still holds that of the last Backward
//
// Why: the first Backward is right, every further one contains the earlier ones.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, b.dy.Data, dz.Data)
		kernel.Add(b.dy.Data, b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// gradients-cleared-by-backward: Backward empties the gradients of the parameters first
//
// Why: it is to add to them; two Backwards in one update count as one.
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

// y-in-a-package-variable: all blocks compute y in one tensor
//
// Why: the next block's Forward overwrites the y that this block's Norm2 has kept; gradients of a stack are wrong.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		yRoom = tensor.Reuse(yRoom, x.Shape...)
		b.y = yRoom
	}
}

var yRoom *tensor.Tensor

// second-residual-from-x: z = x + FFN(Norm2(y))
//
// Why: what attention brought does not reach the stream.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}
