//go:build unlisted

package block

// second-residual-from-x: z = x + FFN(Norm2(y))
//
// Why: what attention found is lost from the stream; z differs from the formula.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// y-in-place-of-x: y takes the memory of x
//
// Why: x must not change, and Norm1 has kept it for Backward.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		b.y = x
	}
}

// z-over-y: the feed-forward network's output is added to y in place
//
// Why: Norm2 has kept y for Backward and finds z there; z is right and the gradients are wrong.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		b.z = b.y
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	}
}

// attention-gets-dz: the attention branch is handed dz and not dy
//
// Why: its gradients lack what came through the feed-forward network.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// first-residual-from-dz: dx = dz + the attention branch
//
// Why: dx lacks the part that reaches x directly from the feed-forward network.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// dy-in-dz: dy is added up in the caller's dz
//
// Why: dz belongs to the caller and must not change; a second Backward gets another one.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		b.dy = dz
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// gradients-cleared: Backward begins with zero gradients
//
// Why: it adds to the gradients; what an earlier Backward left is lost.
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

// positions-counted-anew: attention is handed 0 to T−1 whatever the positions are
//
// Why: a sequence with gaps or of other positions is computed wrongly, and a bad position is not refused.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		row := make([]int, x.Dim(1))
		for t := range row {
			row[t] = t
		}
		positions = [][]int{row}
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
}

// dz-of-any-rows: Backward looks at the width of dz alone
//
// Why: a dz of (T, B, D) for z of (B, T, D) must panic with a ShapeError.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	} else {
		tensor.CheckShape("Block.Backward: dz", dz, tensor.Lead, b.z.Dim(-1))
		dz = dz.Reshape(b.z.Shape...)
	}
}

// z-made-once: z keeps the size of the first call
//
// Why: a batch of another size panics.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		if b.z == nil {
			b.z = tensor.New(x.Shape...)
		}
	}
}
