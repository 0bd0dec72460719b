package course

// Parts of the solution's mask that several mistakes change.
const (
	maskFile   = "mask.go"
	maskUnless = "if !attend {"
	maskCausal = "row[j] = j <= i"
	maskRows   = "	for len(scores) > 0 {\n		for i, attend := range mask.Attend {\n"
	maskNext   = "scores = scores[len(mask.Attend):] // the next leading index, unless these were all"
	maskKept   = attKept + "	a.mask = mask\n"
	maskField  = attFields + "	mask    *Mask\n"

	// where is a loop over the weights that are masked; the body and two brackets follow.
	where = "	if mask != nil {\n		for i := range a.weights.Data {\n			if !mask.Attend[i%len(mask.Attend)] {\n				"
	// closed ends it.
	closed = "\n			}\n		}\n	}\n"
	// whereBack is the same in Backward.
	whereBack = "	if a.mask != nil {\n		for i := range a.dScores.Data {\n			if !a.mask.Attend[i%len(a.mask.Attend)] {\n				"
)

// softmaxAxisMistakes are about what the softmax runs over.
func softmaxAxisMistakes() []Mistake {
	const (
		why  = "Each query spreads a weight of 1 over the keys. The scores are (N, M), so its keys lie along the last axis."
		hint = "The rows of the weights sum to 1: softmax along axis −1."
		all  = "	for i := range count(lead) {\n		p := tensor.From(matrix(a.weights, i), n*m)\n		softmax.Softmax(p, p, 0)\n	}\n"
		dAll = "	for i := range count(lead) {\n		p, ds := tensor.From(matrix(a.weights, i), n*m), tensor.From(matrix(a.dScores, i), n*m)\n		softmax.Backward(ds, p, ds, 0)\n	}\n"
	)
	queries := Edit{attSoftmax, "	a.weights = softmax.Softmax(a.weights, a.weights, -2)\n"}
	return []Mistake{
		{
			ID: "softmax-over-queries", Title: "the softmax runs over the queries instead of the keys",
			File: attFile, Old: queries.Old, New: queries.New,
			More: []Edit{{attDSoftmax, "	a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)\n"}},
			Why:  why, Hint: hint,
			Variants: []Variant{{"forward-only", []Edit{queries}}},
		},
		{
			ID: "softmax-over-matrix", Title: "one softmax runs over all scores of a head, queries and keys together",
			File: attFile, Old: attSoftmax, New: all, More: []Edit{{attDSoftmax, dAll}}, Why: why, Hint: hint,
			Variants: []Variant{{"forward-only", []Edit{{attSoftmax, all}}}},
		},
		{
			ID: "weights-are-scores", Title: "Weights returns the scores, from before the softmax",
			File: attFile, Old: attFields, New: attFields + "	scores  *tensor.Tensor\n",
			More: []Edit{{attSoftmax, "	a.scores = a.weights.Clone()\n" + attSoftmax}, {attWeights, "{ return a.scores }"}},
			Why:  "Who wants to see what attends to what looks at shares of 1, not at scores.",
			Hint: "Keep the result of the softmax and return that. Backward needs it too.",
		},
	}
}

// maskMistakes are about what the mask does to the scores.
func maskMistakes() []Mistake {
	const (
		zeroed    = attSoftmax + where + "a.weights.Data[i] = 0" + closed
		fullField = maskField + "	full    *tensor.Tensor\n"
		divided   = zeroed + "	for r := range a.weights.Rows() {\n		row := a.weights.Row(r)\n		kernel.Scale(1/kernel.Sum(row), row)\n	}\n"
		guarded   = zeroed + "	for r := range a.weights.Rows() {\n		if row := a.weights.Row(r); kernel.Sum(row) > 0 {\n			kernel.Scale(1/kernel.Sum(row), row)\n		}\n	}\n"
		ownRow    = "	for r := range a.weights.Rows() {\n		row := a.weights.Row(r)\n		largest, sum := kernel.Max(row), float32(0)\n" +
			"		for j, s := range row {\n			row[j] = float32(math.Exp(float64(s - largest)))\n			sum += row[j]\n		}\n		kernel.Scale(1/sum, row)\n	}\n"
	)
	return []Mistake{
		{
			ID: "mask-inverted", Title: "the mask is read the wrong way round: true hides",
			File: maskFile, Old: maskUnless, New: "if attend {",
			Why:      "Both conventions exist. Here true means attend, as in PyTorch's scaled_dot_product_attention; in its MultiheadAttention true means hide.",
			Hint:     "The score becomes −Inf where Attend is false.",
			Variants: []Variant{{"causal-too", []Edit{{maskUnless, "if attend {"}, {maskCausal, "row[j] = j > i"}}}},
		},
		{
			ID: "mask-ignored", Title: "Attention ignores its mask",
			File: attFile, Old: attHide, New: "",
			Why:  "Without a mask every token sees the ones it is supposed to predict. The loss of such a model falls wonderfully, and it can write nothing.",
			Hint: "Set the score to −Inf wherever mask.Attend is false, before the softmax.",
		},
		{
			ID: "mask-after-softmax", Title: "the weights of masked keys are set to 0 after the softmax",
			File: attFile, Old: attHide, New: "", More: []Edit{{attSoftmax, zeroed}},
			Why:  "The masked keys took part in the softmax and took their share with them: what is left does not sum to 1.",
			Hint: "Mask the scores with −Inf, then take the softmax.",
			Variants: []Variant{{"derivative-too", []Edit{
				{attFields, fullField}, {attKept, maskKept}, {attHide, ""},
				{attSoftmax, "	full := softmax.Softmax(nil, a.weights, -1)\n	a.full, a.weights = full, full.Clone()\n" + where + "a.weights.Data[i] = 0" + closed},
				{attDSoftmax, whereBack + "a.dScores.Data[i] = 0" + closed + "	a.dScores = softmax.Backward(a.dScores, a.full, a.dScores, -1)\n"},
			}}},
		},
		{
			ID: "mask-renormalised", Title: "the mask is applied after the softmax and the rows are divided by what is left of them",
			File: attFile, Old: attHide, New: "", More: []Edit{{attSoftmax, divided}},
			Why:  "On paper that is the masked softmax. In float32 nothing is left of a row in which a masked key had by far the largest score, or which is masked altogether: 0/0 is NaN.",
			Hint: "Mask the scores with −Inf, then take the softmax: the row's maximum is then that of the allowed keys.",
			Variants: []Variant{
				{"guarded", []Edit{{attHide, ""}, {attSoftmax, guarded}}},
			},
		},
		{
			ID: "masked-row-nan", Title: "a query that may attend nowhere gets NaN: −Inf − (−Inf), or 0/0",
			File: attFile, Old: attSoftmax, New: ownRow,
			Why:  "Such rows occur as soon as a batch is padded. One NaN in a gradient makes every weight NaN at the next step.",
			Hint: "softmax.Softmax of step 07 gives such a row zeros. In a loop of your own, leave the row at 0 if its maximum is −Inf.",
		},
	}
}

// maskFillMistakes are about the number that stands for "not at all".
func maskFillMistakes() []Mistake {
	fill := func(id, title, what, why, hint string, more ...Variant) Mistake {
		forward := where + what + closed
		return Mistake{ID: id, Title: title, File: attFile, Old: attHide, New: forward, Why: why, Hint: hint,
			Variants: append([]Variant{{"derivative-too", []Edit{
				{attFields, maskField}, {attKept, maskKept}, {attHide, forward},
				{attDSoftmax, attDSoftmax + whereBack + "a.dScores.Data[i] = 0" + closed},
			}}}, more...)}
	}
	const minusInf = "Only −Inf is smaller than every score: float32(math.Inf(-1))."
	return []Mistake{
		fill("mask-filled-with-0", "masked scores are set to 0 instead of −Inf", "a.weights.Data[i] = 0",
			"0 is a score like any other: e⁰ is 1. A masked key then often outweighs an allowed one.", minusInf),
		fill("mask-filled-with-1e4", "masked scores are set to −10000 instead of −Inf", "a.weights.Data[i] = -1e4",
			"−10000 was chosen for half precision, which has no −1e9. It is a score that a diverging model reaches, and then the mask lets everything through.", minusInf,
			Variant{"added", []Edit{{attHide, where + "a.weights.Data[i] += -1e4" + closed}}}),
		fill("mask-filled-with-1e9", "masked scores are set to a large negative number such as −1e9 instead of −Inf", "a.weights.Data[i] = -1e9",
			"In a row with nothing but masked keys they are all equal, and each gets the weight 1/M: the query attends to exactly what it must not see.", minusInf,
			Variant{"lowest", []Edit{{attHide, where + "a.weights.Data[i] = -math.MaxFloat32" + closed}}}),
	}
}

// causalMistakes are about who may see whom.
func causalMistakes() []Mistake {
	change := func(id, title, new, why, hint string) Mistake {
		return Mistake{ID: id, Title: title, File: maskFile, Old: maskCausal, New: "row[j] = " + new, Why: why, Hint: hint}
	}
	const rows = "Row i is a query, column j a key: Attend[i·n + j] = (j ≤ i)."
	return []Mistake{
		change("causal-strict", "the causal mask is strict: a token may not attend to itself", "j < i",
			"The output at a position predicts the next token, so it may use its own. With a strict mask the first token has nothing to attend to at all: its row is 0 or NaN.", rows),
		change("causal-one-future", "the causal mask lets one future token in", "j <= i+1",
			"One token is all that is to be predicted. The model learns to copy it, the loss goes to 0, and generation fails.", rows),
		change("causal-transposed", "the causal mask is transposed: a token sees itself and what comes after it", "j >= i",
			"Then the model reads from right to left.", rows),
	}
}

// sharedMaskMistakes are about which mask holds where.
func sharedMaskMistakes() []Mistake {
	const (
		made = "	if m.mask == nil || m.mask.N != seq {\n		m.mask = Causal(seq)\n	}\n"
		used = "m.Attention.Forward(m.q, m.k, m.v, m.mask)"
	)
	return []Mistake{
		{
			ID: "first-mask-for-all", Title: "the first leading index's mask is used for all of them",
			File: maskFile, Old: maskRows, New: "	first := mask.Attend[:mask.N*mask.M]\n	for len(scores) > 0 {\n		for i, attend := range first {\n",
			More: []Edit{{maskNext, "scores = scores[len(first):]"}},
			Why:  "A mask of (N, M) holds for every leading index, but one of (…, N, M) has a matrix for each: sequences are padded differently.",
			Hint: "If len(mask.Attend) is larger than N·M, the i-th matrix of scores has the i-th N·M entries.",
		},
		{
			ID: "mask-on-first-only", Title: "a mask of (N, M) is applied to the first leading index only",
			File: maskFile, Old: maskNext, New: "break",
			Why:  "The mask is smaller than the scores and holds for every sequence and head.",
			Hint: "Begin again at the mask's start for every matrix of scores: mask.Attend[i%len(mask.Attend)].",
		},
		{
			ID: "multi-head-not-causal", Title: "multi-head attention never applies the causal mask",
			File: mhFile, Old: used, New: "m.Attention.Forward(m.q, m.k, m.v, nil)",
			Why:  "Every token sees the ones it is supposed to predict. The loss of such a model falls wonderfully, and it can write nothing.",
			Hint: "Hand Causal(T) to Attention.Forward.",
		},
		{
			ID: "mask-by-position", Title: "the causal mask compares positions instead of the order of the tokens",
			File: mhFile, Old: made,
			New: "	m.mask = &Mask{N: seq, M: seq}\n	for i := range batch * m.heads {\n		row := positions[i/m.heads%len(positions)]\n		for _, query := range row {\n" +
				"			for _, key := range row {\n				m.mask.Attend = append(m.mask.Attend, key <= query)\n			}\n		}\n	}\n",
			Why:  "Positions only turn queries and keys. What came before is decided by the place in the sequence.",
			Hint: "Causal(T), whatever the positions are.",
		},
		{
			ID: "mask-of-first-length", Title: "the causal mask is made once and not again for another length",
			File: mhFile, Old: made, New: "	if m.mask == nil {\n		m.mask = Causal(seq)\n	}\n",
			Why:  "Training has one length, generation has every length from 1 on.",
			Hint: "Make a new mask whenever T is another one than last time.",
		},
	}
}
