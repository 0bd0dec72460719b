//go:build mistake

package block

// first-norm-twice: the first norm is used in both places
//
// Why: Each norm has gains of its own. Fresh gains are all 1, so a model that mixes the norms up
// looks right until it has been trained.
//
// Hint: Norm2 stands before the feed-forward network.
func New() {
	if right {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
	} else {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln1), FFN: ffn}
	}
}

// first-norm-twice/in-use: the first norm is called in both places
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

// first-norm-twice/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm1.Forward(b.y)).Data)
	}
}

// second-norm-twice: the second norm is used in both places
//
// Why: Each norm has gains of its own. Fresh gains are all 1, so a model that mixes the norms up
// looks right until it has been trained.
//
// Hint: Norm1 stands before attention.
func New() {
	if right {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
	} else {
		return &Block{Norm1: rmsnorm.New(ln2), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
	}
}

// second-norm-twice/in-use: the second norm is called in both places
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm2.Forward(x), positions).Data)
	}
}

func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm2.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// second-norm-twice/forward-only
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm2.Forward(x), positions).Data)
	}
}

// norms-exchanged: the two norms are exchanged
//
// Why: Each norm has gains of its own. Fresh gains are all 1, so a model that mixes the norms up
// looks right until it has been trained.
//
// Hint: Norm1, with ln1, stands before attention, Norm2 before the feed-forward network.
func New() {
	if right {
		return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
	} else {
		return &Block{Norm1: rmsnorm.New(ln2), Attn: attn, Norm2: rmsnorm.New(ln1), FFN: ffn}
	}
}

// norms-exchanged/in-use: the two norms are exchanged where they are called
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

// norms-exchanged/forward-only
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
