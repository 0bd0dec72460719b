//go:build mistake

package block

// post-norm: the norms stand behind the additions, as in the first Transformer: y = Norm1(x +
// Attn(x)), z = Norm2(y + FFN(y))
//
// Why: Pre-norm: the norm stands before a branch, inside it, and the stream itself is never
// normalised. Deep models train without a warm-up that way.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
		copy(b.y.Data, b.Norm1.Forward(b.y.Clone()).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
		copy(b.z.Data, b.Norm2.Forward(b.z.Clone()).Data)
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
		dSum = b.Norm1.Backward(b.dy)
		kernel.Add(b.dx.Data, dSum.Data, b.Attn.Backward(dSum).Data)
	}
}

// post-norm/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
		copy(b.y.Data, b.Norm1.Forward(b.y.Clone()).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
		copy(b.z.Data, b.Norm2.Forward(b.z.Clone()).Data)
	}
}

// norm-after-branch: the norms stand behind the branches: y = x + Norm1(Attn(x)), z = y +
// Norm2(FFN(y))
//
// Why: Pre-norm: the norm stands before a branch, inside it, and the stream itself is never
// normalised. Deep models train without a warm-up that way.
//
// Hint: First the norm, then the branch: Attn(Norm1(x)).
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

// norm-after-branch/forward-only
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

// norm1-missing: attention reads x without the norm
//
// Why: Pre-norm: the norm stands before a branch, inside it, and the stream itself is never
// normalised. Deep models train without a warm-up that way.
//
// Hint: y = x + Attn(Norm1(x)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.dy).Data)
	}
}

// norm1-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
	}
}

// norm2-missing: the feed-forward network reads y without the norm
//
// Why: Pre-norm: the norm stands before a branch, inside it, and the stream itself is never
// normalised. Deep models train without a warm-up that way.
//
// Hint: z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)
	}
}

// norm2-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
	}
}

// both-norms-missing: neither branch has its norm
//
// Why: Pre-norm: the norm stands before a branch, inside it, and the stream itself is never
// normalised. Deep models train without a warm-up that way.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.dy).Data)
	}
}

// both-norms-missing/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)
	}
}
