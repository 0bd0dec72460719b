//go:build mistake

package block

// ffn-first: the feed-forward network comes first and attention second
//
// Why: The feed-forward network works on what attention has gathered, so it reads y.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
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

// ffn-first/forward-only
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

// ffn-first/norms-stay: the feed-forward network comes first and attention second, each with the
// norm of the other
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.FFN.Forward(b.Norm1.Forward(x)).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.Attn.Forward(b.Norm2.Forward(b.y), positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.Attn.Backward(dz)).Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.FFN.Backward(b.dy)).Data)
	}
}

// parallel: both branches read x, side by side: z = x + Attn(Norm1(x)) + FFN(Norm2(x))
//
// Why: The feed-forward network works on what attention has gathered, so it reads y. Side by side,
// as in GPT-J, the two can run at the same time; it is another model.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// parallel/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
	}
}

// parallel/one-norm: both branches read the first norm of x, side by side: z = x + Attn(Norm1(x))
// + FFN(Norm1(x))
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm1.Forward(x)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		copy(b.dy.Data, dz.Data)
	}
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		dh := b.FFN.Backward(dz)
		kernel.Add(dh.Data, dh.Data, b.Attn.Backward(dz).Data)
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(dh).Data)
	}
}

// ffn-reads-attention: the feed-forward network reads what attention returned, without x
//
// Why: The feed-forward network works on what attention has gathered, so it reads y. y holds both,
// the token itself and what it has gathered.
//
// Hint: y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y)).
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		a := b.Attn.Forward(b.Norm1.Forward(x), positions)
		kernel.Add(b.y.Data, x.Data, a.Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(a)).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// ffn-reads-attention/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		a := b.Attn.Forward(b.Norm1.Forward(x), positions)
		kernel.Add(b.y.Data, x.Data, a.Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(a)).Data)
	}
}
