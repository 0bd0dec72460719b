//go:build mistake

package block

// first-residual-missing: the first residual connection is missing: y = Attn(Norm1(x))
//
// Why: The residual connections are the way on which a gradient reaches the first layer
// undiminished, however many blocks lie between.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
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

// first-residual-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		copy(b.y.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
}

// second-residual-missing: the second residual connection is missing: z = FFN(Norm2(y))
//
// Why: The residual connections are the way on which a gradient reaches the first layer
// undiminished, however many blocks lie between.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		copy(b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// second-residual-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		copy(b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// both-residuals-missing: both residual connections are missing
//
// Why: The residual connections are the way on which a gradient reaches the first layer
// undiminished, however many blocks lie between.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		copy(b.y.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		copy(b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
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
		copy(b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// both-residuals-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		copy(b.y.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		copy(b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// residual-normalised: the residual is taken from the normalised input: x = Norm(x), and then x +
// …
//
// Why: The norm belongs to the branch. On the way of the residual it would rescale the stream in
// every block.
//
// Hint: Keep x beside Norm1(x): y = x + Attn(Norm1(x)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		h := b.Norm1.Forward(x)
		kernel.Add(b.y.Data, h.Data, b.Attn.Forward(h, positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		g := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, g.Data, b.FFN.Forward(g).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		dg := b.FFN.Backward(dz)
		kernel.Add(dg.Data, dg.Data, dz.Data)
		copy(b.dy.Data, b.Norm2.Backward(dg).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		dh := b.Attn.Backward(b.dy)
		kernel.Add(dh.Data, dh.Data, b.dy.Data)
		copy(b.dx.Data, b.Norm1.Backward(dh).Data)
	}
}

// residual-normalised/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		h := b.Norm1.Forward(x)
		kernel.Add(b.y.Data, h.Data, b.Attn.Forward(h, positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		g := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, g.Data, b.FFN.Forward(g).Data)
	}
}

// residual-normalised/first: the first residual is taken from the normalised input: y = Norm1(x) +
// …
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		h := b.Norm1.Forward(x)
		kernel.Add(b.y.Data, h.Data, b.Attn.Forward(h, positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		dh := b.Attn.Backward(b.dy)
		kernel.Add(dh.Data, dh.Data, b.dy.Data)
		copy(b.dx.Data, b.Norm1.Backward(dh).Data)
	}
}

// residual-normalised/second: the second residual is taken from the normalised input: z = Norm2(y)
// + …
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		g := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, g.Data, b.FFN.Forward(g).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		dg := b.FFN.Backward(dz)
		kernel.Add(dg.Data, dg.Data, dz.Data)
		copy(b.dy.Data, b.Norm2.Backward(dg).Data)
	}
}

// residual-normalised/first-forward-only: the first residual is taken from the normalised input, y
// = Norm1(x) + …, in the forward pass alone
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		h := b.Norm1.Forward(x)
		kernel.Add(b.y.Data, h.Data, b.Attn.Forward(h, positions).Data)
	}
}

// residual-normalised/second-forward-only: the second residual is taken from the normalised input,
// z = Norm2(y) + …, in the forward pass alone
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		g := b.Norm2.Forward(b.y)
		kernel.Add(b.z.Data, g.Data, b.FFN.Forward(g).Data)
	}
}

// second-residual-from-x: the second residual connection starts from x instead of y
//
// Why: What attention found would reach the output through the feed-forward network only.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
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
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// second-residual-from-x/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// x-added-twice: x is added to the output once more, beside y
//
// Why: y holds x already. Counted twice in every block, the input doubles from block to block.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		return b.z
	} else {
		kernel.Add(b.z.Data, b.z.Data, x.Data)
		return b.z
	}
}

func (*Block) Backward() {
	if right {
		return b.dx
	} else {
		kernel.Add(b.dx.Data, b.dx.Data, dz.Data)
		return b.dx
	}
}

// x-added-twice/forward-only
func (*Block) Forward() {
	if right {
		return b.z
	} else {
		kernel.Add(b.z.Data, b.z.Data, x.Data)
		return b.z
	}
}
