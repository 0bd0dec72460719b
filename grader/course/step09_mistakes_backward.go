package course

// blockBackwardMistakes are about the order of the way back and what is added.
func blockBackwardMistakes() []Mistake {
	const (
		sum  = "An addition hands its gradient to both sides: one goes back through the branch, the other along the residual connection, and where the two meet they add up."
		hint = "dy = dz + Norm2.Backward(FFN.Backward(dz)); dx = dy + Norm1.Backward(Attn.Backward(dy))."
	)
	change := func(id, title, why string, edits []Edit, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: blkFile, Old: edits[0].Old, New: edits[0].New, More: edits[1:],
			Why: why, Hint: hint, Variants: variants}
	}
	var (
		bareDY = Edit{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)\n"}
		bareDX = Edit{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.dy).Data)\n"}
	)
	return []Mistake{
		change("dz-not-added", "dz is not added on the way back past the feed-forward network", sum,
			[]Edit{{blkDY, "	copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)\n"}}),
		change("dy-not-added", "dy is not added on the way back past attention", sum,
			[]Edit{{blkDX, "	copy(b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)\n"}}),
		change("dx-adds-dz", "dx adds dz where it should add dy", sum+" y reached z on two ways, so what is handed on to x is dy.",
			[]Edit{{blkDX, "	kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)\n"}}),
		change("attention-gets-dz", "attention's backward pass gets dz instead of dy", sum+" What attention returned is part of y, so its gradient is dy.",
			[]Edit{{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)\n"}}),
		change("dz-added-twice", "dz is added to dx once more", sum+" dy holds dz already.",
			[]Edit{{blkEnd, "	kernel.Add(b.dx.Data, b.dx.Data, dz.Data)\n" + blkEnd}}),
		change("norms-not-undone", "the way back leaves out a norm", "Each step of the forward pass has its counterpart on the way back.",
			[]Edit{bareDY, bareDX}, Variant{"first", []Edit{bareDX}}, Variant{"second", []Edit{bareDY}}),
		change("norms-undone-first", "the way back goes through the norm before it goes through the branch",
			"The norm came before the branch, so on the way back it comes after it.",
			[]Edit{
				{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data)\n"},
				{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)\n"},
			}),
		change("attention-undone-first", "the way back goes through attention first and the feed-forward network second",
			"The backward pass begins with what was computed last.",
			[]Edit{
				{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)\n"},
				{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm2.Backward(b.FFN.Backward(b.dy)).Data)\n"},
			}),
	}
}

// bufferMistakes are about memory that several things share.
func bufferMistakes() []Mistake {
	const (
		makeDY = "	b.dy = tensor.Reuse(b.dy, dz.Shape...)\n"
		norms  = "	params := []*tensor.Param{named(\"ln1.weight\", b.Norm1.Gain)}\n"
		last   = "	return append(params, named(\"ln2.weight\", b.Norm2.Gain),\n"
		w2     = "named(\"ffn.w2.weight\", b.FFN.W2.Weight)"
		w3     = "named(\"ffn.w3.weight\", b.FFN.W3.Weight)"
	)
	return []Mistake{
		{
			ID: "x-overwritten", Title: "the residual is added in place, to x itself",
			File: blkFile, Old: blkY, New: "	kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)\n	copy(b.y.Data, x.Data)\n",
			Why:  "Norm1 keeps x for its backward pass, and finds y there instead. In Python x = x + … makes a new tensor; x += … does not.",
			Hint: "Write y and z to buffers of the block's own.",
			Variants: []Variant{{"both", []Edit{
				{blkY, "	kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)\n"},
				{blkZ, "	kernel.Add(x.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)\n	copy(b.z.Data, x.Data)\n"},
			}}},
		},
		{
			ID: "y-overwritten", Title: "z is written to the memory of y, which the second norm still needs for its backward pass",
			File: blkFile, Old: blkZ, New: "	kernel.Add(b.y.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)\n	copy(b.z.Data, b.y.Data)\n",
			Why:  "A layer keeps its input by reference. Whoever made it leaves it unchanged until the backward pass.",
			Hint: "y and z each need a buffer of their own.",
		},
		{
			ID: "dz-overwritten", Title: "the gradient is added in place, to the caller's dz",
			File: blkFile, Old: blkDY, New: "	kernel.Add(dz.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)\n	copy(b.dy.Data, dz.Data)\n",
			Why:  "dz belongs to the caller, who may still need it.",
			Hint: "Add into a buffer of the block's own.",
		},
		{
			ID: "dw-overwritten", Title: "the gradients are cleared before the new ones are added",
			File: blkFile, Old: makeDY, New: "	for _, p := range b.Params() {\n		p.ZeroGrad()\n	}\n" + makeDY,
			Why:  "Gradients collect over calls until the optimiser clears them.",
			Hint: "Do not clear a gradient in Backward.",
		},
		{
			ID: "params-out-of-order", Title: "Params lists the parameters in another order",
			File: blkFile, Old: norms, New: "	params := []*tensor.Param{named(\"ln1.weight\", b.Norm1.Gain), named(\"ln2.weight\", b.Norm2.Gain)}\n",
			More: []Edit{{last, "	return append(params,\n"}},
			Why:  "A checkpoint and an optimiser rely on the order of the parameters.",
			Hint: "ln1, q, k, v, output, ln2, w1, w2, w3.",
			Variants: []Variant{
				{"w3-before-w2", []Edit{{w2 + ", " + w3, w3 + ", " + w2}}},
				{"norms-exchanged", []Edit{
					{norms, "	params := []*tensor.Param{named(\"ln1.weight\", b.Norm2.Gain)}\n"}, {last, "	return append(params, named(\"ln2.weight\", b.Norm1.Gain),\n"},
				}},
			},
		},
	}
}
