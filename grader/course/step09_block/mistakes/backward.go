//go:build mistake

package block

// dz-not-added: dz is not added on the way back past the feed-forward network
//
// Why: An addition hands its gradient to both sides: one goes back through the branch, the other
// along the residual connection, and where the two meet they add up.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// dy-not-added: dy is not added on the way back past attention
//
// Why: An addition hands its gradient to both sides: one goes back through the branch, the other
// along the residual connection, and where the two meet they add up.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		copy(b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// dx-adds-dz: dx adds dz where it should add dy
//
// Why: An addition hands its gradient to both sides: one goes back through the branch, the other
// along the residual connection, and where the two meet they add up. y reached z on two ways, so
// what is handed on to x is dy.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	}
}

// attention-gets-dz: attention's backward pass gets dz instead of dy
//
// Why: An addition hands its gradient to both sides: one goes back through the branch, the other
// along the residual connection, and where the two meet they add up. What attention returned is
// part of y, so its gradient is dy.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)
	}
}

// dz-added-twice: dz is added to dx once more
//
// Why: An addition hands its gradient to both sides: one goes back through the branch, the other
// along the residual connection, and where the two meet they add up. dy holds dz already.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
func (*Block) Backward() {
	if right {
		return b.dx
	} else {
		kernel.Add(b.dx.Data, b.dx.Data, dz.Data)
		return b.dx
	}
}

// norms-not-undone: the way back leaves out a norm
//
// Why: Each step of the forward pass has its counterpart on the way back.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
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

// norms-not-undone/first: the way back leaves out the first norm
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.dy).Data)
	}
}

// norms-not-undone/second: the way back leaves out the second norm
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)
	}
}

// norms-undone-first: the way back goes through the norm before it goes through the branch
//
// Why: The norm came before the branch, so on the way back it comes after it.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
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

// norms-undone-first/second: the way back goes through the second norm before it goes through the
// feed-forward network
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data)
	}
}

// norms-undone-first/first: the way back goes through the first norm before it goes through
// attention
func (*Block) Backward() {
	if right {
		kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)
	} else {
		kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)
	}
}

// attention-undone-first: the way back goes through attention first and the feed-forward network
// second
//
// Why: The backward pass begins with what was computed last.
//
// Hint: dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy)).
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

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*Block) Backward() {
	if right {
		tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	} else {
	}
}
