package course

// scaleBackwardMistakes are about 1/√K on the way back.
func scaleBackwardMistakes() []Mistake {
	const (
		scaleDQ = "	kernel.Scale(scale(width), a.dq.Data)\n"
		scaleDK = "	kernel.Scale(scale(width), a.dk.Data)\n"
	)
	return []Mistake{
		{
			ID: "backward-without-scale", Title: "dq and dk lack the factor 1/√K",
			File: attFile, Old: attDScale, New: "",
			Why:  "The scores were q·k/√K. A constant factor of the forward pass is a factor of its derivative too.",
			Hint: "Divide dS by √K once, before the products that give dq and dk.",
			Variants: []Variant{
				{"dq", []Edit{{attDScale, ""}, {attReturnD, scaleDK + attReturnD}}},
				{"dk", []Edit{{attDScale, ""}, {attReturnD, scaleDQ + attReturnD}}},
			},
		},
		{
			ID: "backward-scaled-twice", Title: "dq and dk are divided by √K twice",
			File: attFile, Old: attReturnD, New: scaleDQ + scaleDK + attReturnD,
			Why:  "The factor is in dS already, so the products with k and q carry it on.",
			Hint: "Divide dS by √K, or dq and dk, not both.",
		},
	}
}

// productBackwardMistakes are about the four products of the backward pass.
func productBackwardMistakes() []Mistake {
	const (
		dv    = "tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, false)       // (1) (N, M)ᵀ·(N, C) = (M, C)"
		dp    = "tensor.Product(false, true, n, m, c, dyi, c, vi, c, matrix(a.dScores, i), m, false) // (2) (N, C)·(M, C)ᵀ = (N, M)"
		dq    = "tensor.Product(false, false, n, width, m, ds, m, ki, width, matrix(a.dq, i), width, false) // (5) (N, M)·(M, K) = (N, K)"
		dk    = "tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, false)  // (6) (N, M)ᵀ·(N, K) = (M, K)"
		turns = "P and dS are (N, M), a row for every query. What belongs to a key is collected down a column: over all queries that looked at it."
	)
	// loop is a product Σ_n left[j·M+n]·right[n], with the wrong row length where N ≠ M.
	loop := func(rows, inner, columns, left, right, dst string) string {
		return "for j := range " + rows + " {\n			row := " + dst + "[j*" + columns + " : (j+1)*" + columns + "]\n			clear(row)\n			for l := range " + inner + " {\n				kernel.Axpy(" + left + "[j*m+l], " + right + "[l*" + columns + ":(l+1)*" + columns + "], row)\n			}\n		}"
	}
	return []Mistake{
		{
			ID: "dv-not-transposed", Title: "dv is computed as P·dy, with P not transposed",
			File: attFile, Old: dv, New: "tensor.Product(false, false, m, c, n, p, n, dyi, c, matrix(a.dv, i), c, false)",
			Why: turns, Hint: "dv[j] = Σ_i P[i,j]·dy[i]: Pᵀ·dy.",
			Variants: []Variant{{"loops", []Edit{{dv, loop("m", "n", "c", "p", "dyi", "matrix(a.dv, i)")}}}},
		},
		{
			ID: "dk-not-transposed", Title: "dk is computed as dS·q, with dS not transposed",
			File: attFile, Old: dk, New: "tensor.Product(false, false, m, width, n, ds, n, qi, width, matrix(a.dk, i), width, false)",
			Why: turns, Hint: "dk[j] = Σ_i dS[i,j]·q[i]/√K: dSᵀ·q.",
			Variants: []Variant{{"loops", []Edit{{dk, loop("m", "n", "width", "ds", "qi", "matrix(a.dk, i)")}}}},
		},
		{
			ID: "dq-transposed", Title: "dq is computed as dSᵀ·k, with dS transposed",
			File: attFile, Old: dq, New: "tensor.Product(true, false, n, width, m, ds, n, ki, width, matrix(a.dq, i), width, false)",
			Why: turns + " What belongs to a query lies in its row.", Hint: "dq[i] = Σ_j dS[i,j]·k[j]/√K: dS·k.",
		},
		{
			ID: "dq-and-dk-exchanged", Title: "Backward returns dk where dq is expected, and the other way round",
			File: attFile, Old: attReturnD, New: "	return a.dk, a.dq, a.dv\n",
			Why:  "Both have the same shape when queries and keys are equally many, and the compiler cannot tell them apart.",
			Hint: "return dq, dk, dv.",
		},
		{
			ID: "scores-have-no-gradient", Title: "dq and dk are 0: the weights are taken for constants",
			File: attFile, Old: attReturnD, New: "	a.dq.Zero()\n	a.dk.Zero()\n" + attReturnD,
			Why:  "Then the model learns what to pass on, but never where to look.",
			Hint: "y depends on q and k through the weights: dP = dy·vᵀ, then back through the softmax.",
		},
		{
			ID: "dv-without-weights", Title: "every key's dv is the plain sum of dy, without the weights",
			File: attFile, Old: dv, New: "clear(matrix(a.dv, i))\n		for j := range m {\n			for l := range n {\n				kernel.Axpy(1, dyi[l*c:(l+1)*c], matrix(a.dv, i)[j*c:(j+1)*c])\n			}\n		}\n		_ = p",
			Why:  "y = P·v: a value reaches an output with the factor P[i,j], and its gradient comes back with the same one.",
			Hint: "dv[j] = Σ_i P[i,j]·dy[i].",
		},
		{
			ID: "gradients-not-cleared", Title: "dq, dk and dv are added to what their buffers still hold from the call before",
			File: attFile, Old: dv, New: "tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, true)",
			More: []Edit{
				{dq, "tensor.Product(false, false, n, width, m, ds, m, ki, width, matrix(a.dq, i), width, true)"},
				{dk, "tensor.Product(true, false, m, width, n, ds, m, qi, width, matrix(a.dk, i), width, true)"},
			},
			Why:      "Only the gradients of parameters collect over calls, because an optimiser reads them later.",
			Hint:     "Overwrite dq, dk and dv; or set them to zero first.",
			Variants: []Variant{{"dv", []Edit{{dv, "tensor.Product(true, false, m, c, n, p, m, dyi, c, matrix(a.dv, i), c, true)"}}}},
		},
		{
			ID: "dp-not-cleared", Title: "the gradient of the weights is added to what its buffer still holds from the call before",
			File: attFile, Old: dp, New: "tensor.Product(false, true, n, m, c, dyi, c, vi, c, matrix(a.dScores, i), m, true)",
			Why:  "A buffer that is used again holds the last result. The first call is right and every later one is not.",
			Hint: "Overwrite it: accumulate is for the gradients of parameters.",
		},
	}
}

// weightsBackwardMistakes are about the way back through the weights.
func weightsBackwardMistakes() []Mistake {
	const (
		why       = "Every score changes all weights of its row, because they sum to 1: more for one key is less for the others."
		hint      = "dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward along axis −1."
		recompute = "	for i := range count(lead) {\n		tensor.Product(false, true, n, m, width, matrix(a.q, i), width, matrix(a.k, i), width, matrix(a.weights, i), m, false)\n	}\n" +
			"	kernel.Scale(scale(width), a.weights.Data)\n	a.weights = softmax.Softmax(a.weights, a.weights, -1)\n"
	)
	instead := func(id, title, formula string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: attFile, Old: attDSoftmax, New: formula, Why: why, Hint: hint, Variants: variants}
	}
	loop := func(body string) string { return "	for i, p := range a.weights.Data {\n		" + body + "\n	}\n" }
	return []Mistake{
		instead("softmax-not-undone", "the way back leaves the softmax out: the gradient of the weights is taken for that of the scores", "",
			Variant{"masked", []Edit{{attDSoftmax, loop("if p == 0 {\n			a.dScores.Data[i] = 0\n		}")}}}),
		instead("softmax-sum-missing", "the softmax's derivative is P ⊙ dP alone: the sum over the row is missing", loop("a.dScores.Data[i] *= p")),
		instead("softmax-diagonal-only", "the softmax's derivative is P·(1 − P): only the diagonal of its Jacobian", loop("a.dScores.Data[i] *= p * (1 - p)")),
		instead("softmax-backward-over-queries", "the softmax's derivative sums over the queries instead of the keys",
			"	a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)\n"),
		{
			ID: "causal-forward-only", Title: "the backward pass computes the weights again and forgets the mask: gradients reach the future",
			File: attFile, Old: attBack, New: recompute + attBack,
			Why:  "The forward pass is causal, so nothing looks wrong. But a gradient that flows from the past to the future trains a model that does not exist.",
			Hint: "Keep the weights of Forward. Where they are 0, dS is 0.",
		},
		{
			ID: "weights-overwritten", Title: "Backward writes the gradient of the scores into the memory of the weights",
			File: attFile, Old: attDSoftmax, New: "	dScores := softmax.Backward(a.weights, a.weights, a.dScores, -1)\n",
			More: []Edit{{attDScale, "	kernel.Scale(scale(width), dScores.Data)\n"}, {"ds, qi, ki := matrix(a.dScores, i)", "ds, qi, ki := matrix(dScores, i)"}},
			Why:  "The gradients are right, but whoever looks at the weights after a training step sees a gradient in their place.",
			Hint: "Weights is valid until the next Forward: give dS a buffer of its own.",
		},
		noForwardMistake(attFile, "	tensor.CheckShape(\"Attention.Backward: q of Forward\", a.q, tensor.Lead, tensor.Any, tensor.Any)\n"),
	}
}

// headsBackwardMistakes are about the way back through the projections.
func headsBackwardMistakes() []Mistake {
	const (
		clearQKV    = "	m.QKV.Weight.ZeroGrad()\n"
		clearOutput = "	m.Output.Weight.ZeroGrad()\n"
		only        = "	dx := m.QKV.Backward(m.dQKV)\n	tensor.Product(false, false, dx.Rows(), d, d, m.dQKV.Data[2*d:], 3*d, m.QKV.Weight.Value.Data[2*d*d:], d, dx.Data, d, false)\n	return dx\n"
		first       = "	dx := m.QKV.Backward(m.dQKV)\n	tensor.Product(false, false, dx.Rows(), d, d, m.dQKV.Data, 3*d, m.QKV.Weight.Value.Data, d, dx.Data, d, false)\n	return dx\n"
		params      = "		qkv.Slice(\"q_proj.weight\", 0, d),\n		qkv.Slice(\"k_proj.weight\", d, 2*d),\n"
	)
	return []Mistake{
		{
			ID: "one-gradient-lost", Title: "the gradient of one of q, k and v is not passed on to the projection",
			File: mhFile, Old: mhJoinV, New: "	_ = dv\n",
			Why:      "x reaches the output on three ways, and each of them hands a gradient back.",
			Hint:     "dQKV has dq in columns 0 to D, dk in D to 2D, dv in 2D to 3D.",
			Variants: []Variant{{"k", []Edit{{mhJoinK, "	_ = dk\n"}}}, {"q", []Edit{{mhJoinQ, "	_ = dq\n"}}}},
		},
		{
			ID: "dx-overwritten", Title: "dx comes from one of the three projections alone: the parts overwrite each other instead of adding up",
			File: mhFile, Old: mhDX, New: only,
			Why:      "x is used three times, so its gradient is the sum of three.",
			Hint:     "dx = dq·W_Q + dk·W_K + dv·W_V; a product with the joint weight adds them up.",
			Variants: []Variant{{"first", []Edit{{mhDX, first}}}},
		},
		{
			ID: "dw-overwritten", Title: "the gradients of the projections are cleared before the new ones are added",
			File: mhFile, Old: mhDJoined, New: clearQKV + clearOutput + mhDJoined,
			Why:      "Gradients collect over calls until the optimiser clears them.",
			Hint:     "Do not clear a gradient in Backward.",
			Variants: []Variant{{"qkv", []Edit{{mhDJoined, clearQKV + mhDJoined}}}, {"output", []Edit{{mhDJoined, clearOutput + mhDJoined}}}},
		},
		{
			ID: "params-out-of-order", Title: "Params lists k_proj before q_proj",
			File: mhFile, Old: params, New: "		qkv.Slice(\"k_proj.weight\", d, 2*d),\n		qkv.Slice(\"q_proj.weight\", 0, d),\n",
			Why:  "A checkpoint and an optimiser rely on the order of the parameters.",
			Hint: "q, k, v, output, in this order.",
		},
	}
}
