package course

// linearMistakes is what students get wrong in step 02.
func linearMistakes() []Mistake {
	mistakes := append(linearForwardMistakes(), linearDXMistakes()...)
	mistakes = append(append(mistakes, linearShareMistakes()...), linearDWMistakes()...)
	return append(mistakes, noForwardMistake("linear.go", "	tensor.CheckShape(\"Linear.Backward: x of Forward\", l.x, tensor.Lead, l.Weight.Value.Dim(1))\n"))
}

func linearForwardMistakes() []Mistake {
	const (
		file    = "linear.go"
		product = "tensor.MatMulNT(l.y, x, l.Weight.Value, tensor.Overwrite)"
	)
	return []Mistake{
		{
			ID: "weight-read-as-in-out", Title: "the weight is read as (in, out) instead of (out, in)",
			File: file, Old: product,
			New:  "tensor.MatMul(l.y, x, l.Weight.Value.Reshape(dIn, dOut), tensor.Overwrite)",
			Why:  "A weight is stored as (out, in): one row for every output. Read the other way round it holds the same numbers in other places, and if in = out not even a shape complains.",
			Hint: "y[n,i] is the dot product of row n of x with row i of W. Row i of W begins at i·in.",
			Variants: []Variant{{"not-transposed", []Edit{
				{product, "tensor.MatMul(l.y, x, l.Weight.Value, tensor.Overwrite)"},
			}}},
		},
		{
			ID: "output-not-cleared", Title: "the product is added to what the output buffer still holds from the call before",
			File: file, Old: product,
			New:  "tensor.MatMulNT(l.y, x, l.Weight.Value, tensor.Accumulate)",
			Why:  "A buffer that is used again holds the last result. The first call is right and every later one is not, which no test of a single call sees.",
			Hint: "Only gradients of parameters are added up. y is overwritten: tensor.Overwrite, or set it to zero before the loop.",
		},
		{
			ID: "only-first-dimension", Title: "only the first x.Dim(0) rows are computed, where there are as many rows as all leading dimensions make together",
			File: file, Old: product,
			New:  "for n := range x.Dim(0) {\n		tensor.Product(false, true, 1, dOut, dIn, x.Row(n), dIn, l.Weight.Value.Data, dIn, l.y.Row(n), dOut, false)\n	}",
			Why:  "An activation is (batch, time, features) more often than (rows, features). The layer treats every position alike, so all leading dimensions are rows.",
			Hint: "x.Rows() counts the rows: the product of all dimensions but the last.",
		},
		{
			ID: "last-input-skipped", Title: "the sum over the inputs ends one too early",
			File: file, Old: product,
			New:  "tensor.Product(false, true, x.Rows(), dOut, dIn-1, x.Data, dIn, l.Weight.Value.Data, dIn, l.y.Data, dOut, false)",
			Why:  "A loop bound that is one too small drops one term of every sum; the result looks plausible, because most of it is there.",
			Hint: "The index runs from 0 to in − 1, so the condition is j < in.",
		},
		{
			ID: "input-unchecked", Title: "Forward does not check the width of x itself",
			File: file, Old: "	tensor.CheckShape(\"Linear.Forward: x\", x, tensor.Lead, dIn)\n", New: "	_ = dIn\n",
			Why:  "Who calls a layer wants to read the layer's name in the error, not that of a product inside.",
			Hint: "Begin with tensor.CheckShape.",
			Invisible: "tensor.MatMulNT compares the same two widths before it computes anything, and panics with the same tensor.ShapeError, in which both stand; " +
				"only the name in front differs, and that is the student's to choose",
		},
	}
}

// Parts of the backward pass that several mistakes change.
const (
	linearFile = "linear.go"
	linearDX   = "tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Overwrite)"
	linearDW   = "tensor.MatMulTN(l.Weight.Grad, dy, l.x, tensor.Accumulate)"
	// fresh computes the new gradient alone.
	linearFresh = "dw := tensor.New(l.Weight.Value.Shape...)\n	tensor.MatMulTN(dw, dy, l.x, tensor.Overwrite)\n"
)

// linearDXMistakes is about the gradient of the input.
func linearDXMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dx-weight-transposed", Title: "dx is computed with the weight the wrong way round",
			File: linearFile, Old: linearDX,
			New:  "tensor.MatMulNT(l.dx, dy, l.Weight.Value.Reshape(l.Weight.Value.Dim(1), -1), tensor.Overwrite)",
			Why:  "The forward pass multiplies by Wᵀ, its derivative by W: each transpose is undone on the way back.",
			Hint: "dx[n,j] = Σ_i dy[n,i]·W[i,j]. The sum runs over the outputs, down a column of W.",
			Variants: []Variant{{"not-transposed", []Edit{
				{linearDX, "tensor.MatMulNT(l.dx, dy, l.Weight.Value, tensor.Overwrite)"},
			}}},
		},
		{
			ID: "dx-not-cleared", Title: "dx is added to what its buffer still holds from the call before",
			File: linearFile, Old: linearDX,
			New:  "tensor.MatMul(l.dx, dy, l.Weight.Value, tensor.Accumulate)",
			Why:  "dx is this layer's answer to this dy. Only the gradients of parameters collect over calls, because an optimiser reads them later.",
			Hint: "Overwrite dx; add to Weight.Grad.",
		},
		{
			ID: "dx-averaged", Title: "dx is divided by the number of rows",
			File: linearFile, Old: linearDX,
			New:  linearDX + "\n	for i := range l.dx.Data {\n		l.dx.Data[i] /= float32(dy.Rows())\n	}",
			Why:  "A mean over the batch belongs to the loss. It is in dy already when it arrives here.",
			Hint: "Nothing is divided in this layer: dx = dy·W.",
		},
	}
}

// linearShareMistakes is about which rows have a share in the weight's gradient, and how large.
func linearShareMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dw-averaged", Title: "the weight's gradient is averaged over the batch instead of summed",
			File: linearFile, Old: linearDW,
			New:  linearFresh + "	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] += g / float32(dy.Rows())\n	}",
			Why:  "The loss is what averages, once, at the end of the model. A layer that divides again makes its gradient too small by the size of the batch.",
			Hint: "dW[i,j] = Σ_n dy[n,i]·x[n,j], a sum without a division.",
			Variants: []Variant{
				{"over-first-dimension-of-dy", []Edit{{linearDW, linearFresh + "	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] += g / float32(dy.Dim(0))\n	}"}}},
				{"over-first-dimension-of-x", []Edit{{linearDW, linearFresh + "	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] += g / float32(l.x.Dim(0))\n	}"}}},
				{"over-first-dimension-but-the-last", []Edit{{linearDW, linearFresh + "	batch := 1\n	if len(dy.Shape) > 1 {\n		batch = dy.Dim(0)\n	}\n	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] += g / float32(batch)\n	}"}}},
			},
		},
		{
			ID: "dw-last-row-only", Title: "only the last row of the batch reaches the weight's gradient",
			File: linearFile, Old: linearDW,
			New:  "last := dy.Rows() - 1\n	tensor.Product(true, false, len(dy.Row(last)), len(l.x.Row(last)), 1, dy.Row(last), len(dy.Row(last)), l.x.Row(last), len(l.x.Row(last)), l.Weight.Grad.Data, len(l.x.Row(last)), true)",
			Why:  "Every row of the batch went through the same weight, so every row has a share in its gradient.",
			Hint: "Sum over all rows n: dW[i,j] += dy[n,i]·x[n,j]. The += belongs inside the loop over rows.",
			Variants: []Variant{{"last-entry", []Edit{
				{linearDW, "for n := dy.Rows() - dy.Rows()/dy.Dim(0); n < dy.Rows(); n++ {\n		for i, d := range dy.Row(n) {\n			for j, v := range l.x.Row(n) {\n				l.Weight.Grad.Row(i)[j] += d * v\n			}\n		}\n	}"},
			}}},
		},
		{
			ID: "dw-assigned-per-row", Title: "the weight's gradient is assigned (=) in the loop over rows, so that only the last row's is left",
			File: linearFile, Old: linearDW,
			New:  "for n := range dy.Rows() {\n		for i, d := range dy.Row(n) {\n			for j, v := range l.x.Row(n) {\n				l.Weight.Grad.Row(i)[j] = d * v\n			}\n		}\n	}",
			Why:  "Each pass of the loop throws away what the one before it found, and what was there before the call.",
			Hint: "Use += where the gradient is written, and do not clear Grad in Backward.",
		},
		{
			ID: "dw-first-dimension-only", Title: "only the first x.Dim(0) rows reach the weight's gradient",
			File: linearFile, Old: linearDW,
			New:  "for n := range dy.Dim(0) {\n		for i, d := range dy.Row(n) {\n			for j, v := range l.x.Row(n) {\n				l.Weight.Grad.Row(i)[j] += d * v\n			}\n		}\n	}",
			Why:  "All leading dimensions together make the rows; the first one alone counts the sequences, not the positions in them.",
			Hint: "The loop runs over x.Rows() rows.",
		},
	}
}

// linearDWMistakes is about the weight's gradient and where it goes.
func linearDWMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dw-overwritten", Title: "the weight's gradient is overwritten instead of added to",
			File: linearFile, Old: linearDW,
			New:  "tensor.MatMulTN(l.Weight.Grad, dy, l.x, tensor.Overwrite)",
			Why:  "A weight that is used twice, or a batch that is done in parts, has a gradient that is the sum of all contributions.",
			Hint: "Weight.Grad += dyᵀ·x: tensor.Accumulate.",
		},
		{
			ID: "dw-transposed", Title: "the weight's gradient is written as (in, out) instead of (out, in)",
			File: linearFile, Old: linearDW,
			New:  "tensor.MatMulTN(l.Weight.Grad.Reshape(l.Weight.Value.Dim(1), -1), l.x, dy, tensor.Accumulate)",
			Why:  "A gradient has the shape of what it belongs to: xᵀ·dy is the transpose of dyᵀ·x.",
			Hint: "dW = dyᵀ·x: the first index is the output's, from dy, the second the input's, from x.",
		},
		{
			ID: "dw-before-counted-twice", Title: "the gradient so far is added once more",
			File: linearFile, Old: linearDW,
			New:  "dw := l.Weight.Grad.Clone()\n	tensor.MatMulTN(dw, dy, l.x, tensor.Accumulate)\n	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] += g\n	}",
			Why:  "Accumulating into a copy of Grad and then adding the copy to Grad counts what was there twice.",
			Hint: "Add the new gradient to Grad in one place only: either the product accumulates, or you add its result.",
		},
		{
			ID: "dw-lost", Title: "the weight's gradient is computed and never written to Weight.Grad",
			File: linearFile, Old: linearDW,
			New:  linearFresh + "	_ = dw",
			Why:  "The optimiser reads Weight.Grad. A gradient that stays in a local variable trains nothing.",
			Hint: "Give the product Weight.Grad as its destination.",
		},
		{
			ID: "dw-subtracted", Title: "the new gradient is subtracted instead of added",
			File: linearFile, Old: linearDW,
			New:  linearFresh + "	for i, g := range dw.Data {\n		l.Weight.Grad.Data[i] -= g\n	}",
			Why:  "The minus sign of gradient descent belongs to the optimiser. Backward computes the derivative as it is.",
			Hint: "Weight.Grad += dyᵀ·x.",
		},
	}
}
