package course

// softmaxMistakes is what students get wrong in step 07.
func softmaxMistakes() []Mistake {
	mistakes := append(append(softmaxShiftMistakes(), probabilityMistakes()...), softmaxBackwardMistakes()...)
	mistakes = append(mistakes, logSumExpMistakes()...)
	return append(append(mistakes, lossMistakes()...), lossBackwardMistakes()...)
}

// Parts of the solution that several mistakes change.
const (
	softmaxFile = "softmax.go"
	softmaxRow  = "	if _, sum := expShifted(y, x); sum != 0 {\n		kernel.Scale(1/sum, y)\n	}\n"
	softmaxTop  = "	dst = tensor.Reuse(dst, x.Shape...)\n"
)

// inSoftmaxOnly replaces what happens to a row in Softmax, and leaves the
// gradient of the loss, which computes the same, as it is.
func inSoftmaxOnly(row string) []Edit {
	const own = "ownRow"
	return []Edit{
		{"softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])", own + "(dst.Data[at:at+n], x.Data[at:at+n])"},
		{"softmaxRow(row, row)", own + "(row, row)"},
		{"// softmaxRow writes the softmax", "func " + own + "(y, x []float32) {\n" + row + "}\n\n// softmaxRow writes the softmax"},
	}
}

// rowMistake is a mistake in what happens to a row: with the rows of the loss,
// and without.
func rowMistake(m Mistake, row string, others ...Variant) Mistake {
	m.File, m.Old, m.New = softmaxFile, softmaxRow, row
	m.Variants = append(m.Variants, Variant{"in-softmax-only", inSoftmaxOnly(row)})
	for _, v := range others {
		text := v.Edits[0].New
		m.Variants = append(m.Variants, Variant{v.ID, []Edit{{softmaxRow, text}}}, Variant{v.ID + "-in-softmax-only", inSoftmaxOnly(text)})
	}
	return m
}

// rowVariant is a variant of a rowMistake.
func rowVariant(id, text string) Variant { return Variant{id, []Edit{{New: text}}} }

// unshifted are the ways to write a softmax without a shift. float32 overflows
// at 88, float64 at 709, and a row of nothing but −Inf is 0/0 or provided for.
func unshifted() (first string, others []Variant) {
	const (
		single = "	sum := float32(0)\n	for i, v := range x {\n		y[i] = float32(math.Exp(float64(v)))\n		sum += y[i]\n	}\n"
		mixed  = "	sum := 0.0\n	for i, v := range x {\n		e := math.Exp(float64(v))\n		y[i] = float32(e)\n		sum += e\n	}\n	for i := range y {\n		y[i] = float32(float64(y[i]) / sum)\n	}\n"
		double = "	sum := 0.0\n	for _, v := range x {\n		sum += math.Exp(float64(v))\n	}\n"
		divide = "	for i := range y {\n		y[i] /= sum\n	}\n"
		redo   = "	for i, v := range x {\n		y[i] = float32(math.Exp(float64(v)) / sum)\n	}\n"
		masked = "	if sum == 0 {\n		clear(y)\n		return\n	}\n"
	)
	return single + divide, []Variant{
		rowVariant("masked", single+masked+divide), rowVariant("float64", double+redo), rowVariant("float64-masked", double+masked+redo), rowVariant("mixed", mixed),
	}
}

// softmaxShiftMistakes are about the shift, and rows that are masked.
func softmaxShiftMistakes() []Mistake {
	noShift, noShiftToo := unshifted()
	const top = "	top := x.Data[0]\n	for _, v := range x.Data {\n		if v > top {\n			top = v\n		}\n	}\n	x = x.Clone()\n	for i := range x.Data {\n		x.Data[i] -= top\n	}\n"
	global := func(row string) []Edit { return append(inSoftmaxOnly(row), Edit{softmaxTop, top + softmaxTop}) }
	const other = "_, sum := expShifted(y, x)\n"
	return []Mistake{
		rowMistake(Mistake{
			ID: "no-shift", Title: "the row's maximum is not subtracted before the exponential",
			Why:  "e^89 is already infinite in float32, and Inf/Inf is NaN. The shift cancels in the fraction, so it costs nothing but one pass over the row.",
			Hint: "y[i] = e^(x[i] − m)/Σ e^(x[j] − m), with m the largest element of the row.",
		}, noShift, noShiftToo...),
		{
			ID: "one-shift-for-all", Title: "one maximum, that of the whole tensor, is subtracted from every row",
			File: softmaxFile, Old: softmaxTop, New: top + softmaxTop, More: inSoftmaxOnly(noShift),
			Why:  "A row that lies far below the largest one underflows: all its exponentials are 0, and so is their sum.",
			Hint: "Each row along the axis has a maximum of its own.",
			Variants: []Variant{
				{"masked", global(noShiftToo[0].Edits[0].New)}, {"float64", global(noShiftToo[1].Edits[0].New)}, {"float64-masked", global(noShiftToo[2].Edits[0].New)},
			},
		},
		rowMistake(Mistake{
			ID: "masked-row-nan", Title: "a row of nothing but −Inf gives NaN",
			Why:  "−Inf − (−Inf) is NaN, and 0/0 is as well. A query that may attend to nothing gets zeros, and one NaN would spread through the whole model.",
			Hint: "If the row's maximum is −Inf, write zeros.",
		}, "	shift := kernel.Max(x)\n	for i, v := range x {\n		y[i] = v - shift\n	}\n	kernel.Exp(y, y)\n	kernel.Scale(1/kernel.Sum(y), y)\n"),
		rowMistake(Mistake{
			ID: "masked-row-uniform", Title: "a row of nothing but −Inf gives 1/N everywhere",
			Why:  "That is what a mask of −1e9 instead of −Inf leads to: a query that may attend to nothing attends to everything.",
			Hint: "If the row's maximum is −Inf, write zeros.",
		}, "	if "+other[:len(other)-1]+"; sum != 0 {\n		kernel.Scale(1/sum, y)\n	} else {\n		for i := range y {\n			y[i] = 1 / float32(len(y))\n		}\n	}\n"),
	}
}

// probabilityMistakes are about what makes the exponentials probabilities.
func probabilityMistakes() []Mistake {
	return []Mistake{
		{
			ID: "axis-ignored", Title: "softmax always runs along the last axis",
			File: softmaxFile, Old: "axisOf(\"Softmax\", x, axis)", New: "axisOf(\"Softmax\", x, -1)",
			Why:  "Attention and the loss happen to use the last axis. A function with an argument for it has to use the argument.",
			Hint: "A row along axis has the stride of that axis: the product of the dimensions behind it.",
			Variants: []Variant{{"backward-too", []Edit{
				{"axisOf(\"Softmax\", x, axis)", "axisOf(\"Softmax\", x, -1)"}, {"axisOf(\"softmax.Backward\", y, axis)", "axisOf(\"softmax.Backward\", y, -1)"},
			}}},
		},
		rowMistake(Mistake{
			ID: "log-softmax", Title: "the logarithm of softmax is returned",
			Why:  "PyTorch has both, softmax and log_softmax. Probabilities lie between 0 and 1; their logarithms are negative.",
			Hint: "y = e^(x − m)/Σ e^(x − m), without a logarithm.",
		}, "	e := make([]float32, len(x))\n	shift, sum := expShifted(e, x)\n	for i, v := range x {\n		y[i] = v - shift - float32(math.Log(float64(sum)))\n	}\n"),
		rowMistake(Mistake{
			ID: "not-divided", Title: "the exponentials are not divided by their sum",
			Why:  "Without the division they do not sum to 1, and are no probabilities.",
			Hint: "Sum e^(x − m) over the row, then divide each by the sum.",
		}, "	expShifted(y, x)\n"),
		{
			ID: "one-sum-for-all", Title: "the exponentials are divided by the sum over the whole tensor",
			File: softmaxFile, Old: softmaxTop, New: softmaxTop + "	defer func() { kernel.Scale(1/kernel.Sum(dst.Data), dst.Data) }()\n", More: inSoftmaxOnly("	expShifted(y, x)\n"),
			Why:  "Each row is a distribution of its own and sums to 1 by itself.",
			Hint: "Begin a new sum for every row.",
		},
		rowMistake(Mistake{
			ID: "base-2", Title: "2 is raised to the power instead of e",
			Why:  "Hardware likes base 2, and fast kernels use it with x·log₂e. Without that factor it is a softmax at another temperature.",
			Hint: "math.Exp or kernel.Exp.",
		}, "	shift := max(kernel.Max(x), -math.MaxFloat32)\n	for i, v := range x {\n		y[i] = float32(math.Exp2(float64(v - shift)))\n	}\n	if sum := kernel.Sum(y); sum != 0 {\n		kernel.Scale(1/sum, y)\n	}\n"),
		rowMistake(Mistake{
			ID: "shares-without-exp", Title: "the elements are divided by their sum without an exponential",
			Why:  "The exponential makes negative scores into positive shares; without it a share can be negative or infinite.",
			Hint: "y = e^(x − m)/Σ e^(x − m).",
		}, "	sum := kernel.Sum(x)\n	for i, v := range x {\n		y[i] = v / sum\n	}\n"),
		{
			ID: "axis-unchecked", Title: "an axis that does not exist is not refused",
			File: softmaxFile, Old: "axis < -rank || axis >= rank", New: "rank == 0",
			Why: "A wrong axis should end with a message that names it.", Hint: "tensor.IndexError unless −rank ≤ axis < rank.",
		},
	}
}

// softmaxBackwardMistakes are about softmax's derivative.
func softmaxBackwardMistakes() []Mistake {
	const (
		dot = "dot := kernel.Dot(dy, y) // (3)"
		dx  = "dx[i] = p * (dy[i] - dot) // (3)"
	)
	instead := func(id, title, old, new, why, hint string) Mistake {
		return Mistake{ID: id, Title: title, File: softmaxFile, Old: old, New: new, Why: why, Hint: hint}
	}
	const jacobian = "∂y_j/∂x_i = y_j·(δ_ij − y_i): all of a row depends on all of it, through the sum in the denominator."
	const result = "dx = y ⊙ (dy − Σ dy⊙y), the sum over the row."
	return []Mistake{
		instead("diagonal-only", "only the diagonal of softmax's derivative is used: dx = dy·y·(1 − y)", dx, "dx[i] = dy[i] * p * (1 - p)\n		_ = dot", jacobian, result),
		instead("sum-missing", "softmax's derivative is taken to be y alone: dx = dy·y", dx, "dx[i] = p * dy[i]\n		_ = dot", jacobian, result),
		instead("diagonal-missing", "the diagonal of softmax's derivative is left out: dx = −y·Σ dy·y", dx, "dx[i] = -p * dot", jacobian, result),
		instead("sum-of-dy", "the sum in softmax's derivative is that of dy, without y", dot, "dot := kernel.Sum(dy)", jacobian, "Multiply dy by y before you sum: "+result),
		instead("mean-for-sum", "the sum in softmax's derivative is divided by the length of the row", dot, "dot := kernel.Dot(dy, y) / float32(len(y))",
			"The y of a row sum to 1, so Σ dy·y is a mean already, weighted by y.", result),
		instead("y-missing", "the factor y in front of softmax's derivative is missing: dx = dy − Σ dy·y", dx, "dx[i] = dy[i] - dot\n		_ = p", jacobian, result),
		instead("backward-sign", "softmax's derivative has the opposite sign", dx, "dx[i] = p * (dot - dy[i])",
			"A larger score makes its own probability larger.", result),
		instead("sum-added", "the sum in softmax's derivative is added instead of subtracted", dx, "dx[i] = p * (dy[i] + dot)",
			"A larger score makes the other probabilities smaller, hence the minus.", result),
		instead("softmax-again", "Backward applies softmax once more to y, which is a softmax already", "	dot := kernel.Dot(dy, y) // (3)\n", "	y = append([]float32(nil), y...)\n	softmaxRow(y, y)\n	dot := kernel.Dot(dy, y)\n",
			"Backward is given the output of the forward pass, so that it need not compute it again.", "Use y as it comes: "+result),
		{
			ID: "one-dot-for-all", Title: "the sum in softmax's derivative runs over the whole tensor instead of one row",
			File: softmaxFile, Old: dot, New: "dot := all",
			More: []Edit{
				{"func backwardRow(dx, y, dy []float32) {", "func backwardRow(dx, y, dy []float32, all float32) {"},
				{"backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n])", "backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n], all)"},
				{"backwardRow(dxRow, yRow, dxRow)", "backwardRow(dxRow, yRow, dxRow, all)"},
				{"	dst = tensor.Reuse(dst, y.Shape...)\n", "	dst = tensor.Reuse(dst, y.Shape...)\n	all := kernel.Dot(dy.Data, y.Data)\n"},
			},
			Why: "Rows know nothing of each other, forward or backward.", Hint: "Begin a new sum for every row along the axis.",
		},
		instead("backward-axis-ignored", "softmax's derivative always runs along the last axis", "axisOf(\"softmax.Backward\", y, axis)", "axisOf(\"softmax.Backward\", y, -1)",
			"Backward sums along the axis along which the forward pass did.", "Walk along the rows as in Softmax."),
	}
}
