package course

import "slices"

// lmMistakes is what students get wrong in step 10.
func lmMistakes() []Mistake {
	return slices.Concat(
		lmForwardMistakes(), lmLayerMistakes(), lmLogitMistakes(), lmBackwardMistakes(),
		lmInitMistakes(), replicaMistakes(), stateMistakes(),
		countMistakes(), flopMistakes(), temperatureMistakes(), nucleusMistakes(), drawTokenMistakes(), generateMistakes(),
	)
}

// Parts of the solution's model that several mistakes change.
const (
	lmFile     = "lm.go"
	lmFields   = "	positions [][]int    // one row, the first T of places\n"
	lmRope     = "rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength)"
	lmPlaces   = "m.places[t] = t\n"
	lmHead     = "	m.Head = linear.New(weight(\"lm_head.weight\", cfg.VocabSize, d))\n"
	lmBuild    = "	for l := range cfg.NumLayers {\n"
	lmEmbed    = "	x, err := m.Embedding.Forward(ids)\n	if err != nil {\n		return nil, err\n	}\n"
	lmPosition = "	m.positions = append(m.positions[:0], m.places[:seq])\n"
	lmBlocks   = "	for _, b := range m.Blocks {\n		x = b.Forward(x, m.positions)\n	}\n"
	lmLogits   = "	return m.Head.Forward(m.Norm.Forward(x)), nil\n"
	lmBack     = "	dx := m.Norm.Backward(m.Head.Backward(dlogits))\n"
	lmBackLoop = "	for l := len(m.Blocks) - 1; l >= 0; l-- { // what was computed last goes first\n		dx = m.Blocks[l].Backward(dx)\n	}\n"
	lmBackEnd  = "	m.Embedding.Backward(dx)\n"
	lmLinear   = "	\"github.com/stubformer/stubformer/steps/step02_linear\"\n"
	lmRopeStep = "	\"github.com/stubformer/stubformer/steps/step06_rope\"\n"
	lmTensor   = "	\"github.com/stubformer/stubformer/reference/tensor\"\n"
)

// lmBoth makes a mistake of the forward pass and of the derivative that fits it,
// with a variant in which the derivative is that of the right model.
func lmBoth(id, title string, forward, backward []Edit, why, hint string, more ...Variant) Mistake {
	return Mistake{ID: id, Title: title, File: lmFile, Old: forward[0].Old, New: forward[0].New,
		More: append(forward[1:len(forward):len(forward)], backward...), Why: why, Hint: hint,
		Variants: append([]Variant{{"forward-only", forward}}, more...)}
}

// lmForwardMistakes are about what surrounds the blocks.
func lmForwardMistakes() []Mistake {
	const (
		scaled  = lmEmbed + "	for i := range x.Data {\n		x.Data[i] *= float32(math.Sqrt(float64(m.Config.DModel)))\n	}\n"
		dScaled = "	for i := range dx.Data {\n		dx.Data[i] *= float32(math.Sqrt(float64(m.Config.DModel)))\n	}\n" + lmBackEnd
		tied    = "	m.tied = linear.New(m.Embedding.Weight)\n	return m.tied.Forward(m.Norm.Forward(x)), nil\n"
	)
	withMath, field := Edit{"	\"fmt\"\n", "	\"fmt\"\n	\"math\"\n"}, Edit{lmFields, lmFields + "	tied      *linear.Linear\n"}
	return []Mistake{
		lmBoth("no-final-norm", "the last norm is missing: the head reads the blocks' output as it is",
			[]Edit{{lmLogits, "	return m.Head.Forward(x), nil\n"}}, []Edit{{lmBack, "	dx := m.Head.Backward(dlogits)\n"}},
			"Every block adds to the stream, so it grows from layer to layer. A pre-norm model normalises it once more at the end.",
			"logits = Head(Norm(x))."),
		lmBoth("head-tied", "the head uses the embedding's weight instead of its own",
			[]Edit{{lmLogits, tied}, field}, []Edit{{lmBack, "	dx := m.Norm.Backward(m.tied.Backward(dlogits))\n"}},
			"GPT-2 ties the two to save V·D parameters. Here the head is not tied: an embedding is drawn from N(0, 1), and a head like that begins with a loss far above ln V.",
			"lm_head.weight is a parameter of its own.",
			Variant{"shared-value", []Edit{{lmHead, "	m.Head = linear.New(tensor.NewParam(\"lm_head.weight\", table))\n"}}}),
		lmBoth("embedding-scaled", "the embeddings are multiplied by √D",
			[]Edit{{lmEmbed, scaled}, withMath}, []Edit{{lmBackEnd, dScaled}},
			"The first Transformer scaled its embeddings, to keep the sinusoids it added from covering them. Here nothing is added, and every branch begins with a norm.",
			"Hand Embedding.Forward's result to the first block as it is."),
		{
			ID: "same-position", Title: "all tokens get the same position",
			File: lmFile, Old: lmPosition, New: "	m.positions = append(m.positions[:0], make([]int, seq))\n",
			Why:  "Then RoPE turns queries and keys alike, and a sentence is a bag of words.",
			Hint: "The positions are 0, 1, …, T−1.",
		},
		{
			ID: "theta-ignored", Title: "RoPE's Θ is always 10000, whatever the configuration says",
			File: lmFile, Old: lmRope, New: "rope.New(10000, d/cfg.NumHeads, cfg.ContextLength)",
			Why:  "Models for long contexts have a larger Θ. A checkpoint is of use only with its own.",
			Hint: "rope.New(cfg.RopeTheta, …).",
		},
		{
			ID: "positions-from-1", Title: "the positions begin at 1",
			File: lmFile, Old: lmPlaces, New: "m.places[t] = t + 1\n", More: []Edit{{lmRope, "rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength+1)"}},
			Why:       "Only distances count.",
			Hint:      "Nothing to repair.",
			Invisible: "a score of turned q and k depends on the difference of their positions only, which stays the same; the tables are one row longer",
		},
	}
}

// lmLayerMistakes are about the row of blocks.
func lmLayerMistakes() []Mistake {
	const (
		own  = "Every layer has weights of its own: L blocks, each called once, one after the other."
		loop = "for _, b := range m.Blocks { x = b.Forward(x, positions) }"
		back = "	for l := len(m.Blocks) - 1; l >= 0; l-- {\n		dx = "
	)
	return []Mistake{
		lmBoth("layers-share-weights", "all layers share one set of weights",
			[]Edit{{lmBlocks, "	for range m.Blocks {\n		x = m.Blocks[0].Forward(x, m.positions)\n	}\n"}},
			[]Edit{{lmBackLoop, "	for range m.Blocks {\n		dx = m.Blocks[0].Backward(dx)\n	}\n"}}, own, loop,
			Variant{"one-block", []Edit{{lmBuild, lmBuild + "		if l > 0 {\n			m.Blocks = append(m.Blocks, m.Blocks[0])\n			continue\n		}\n"}}}),
		lmBoth("last-layer-missing", "the last layer is left out: L − 1 of them run",
			[]Edit{{lmBlocks, "	for _, b := range m.Blocks[:len(m.Blocks)-1] {\n		x = b.Forward(x, m.positions)\n	}\n"}},
			[]Edit{{lmBackLoop, "	for l := len(m.Blocks) - 2; l >= 0; l-- {\n		dx = m.Blocks[l].Backward(dx)\n	}\n"}}, own, loop),
		lmBoth("first-layer-missing", "the first layer is left out: L − 1 of them run",
			[]Edit{{lmBlocks, "	for _, b := range m.Blocks[1:] {\n		x = b.Forward(x, m.positions)\n	}\n"}},
			[]Edit{{lmBackLoop, "	for l := len(m.Blocks) - 1; l > 0; l-- {\n		dx = m.Blocks[l].Backward(dx)\n	}\n"}}, own, loop),
		lmBoth("layers-reversed", "the layers run from the last to the first",
			[]Edit{{lmBlocks, "	for l := len(m.Blocks) - 1; l >= 0; l-- {\n		x = m.Blocks[l].Forward(x, m.positions)\n	}\n"}},
			[]Edit{{lmBackLoop, "	for _, b := range m.Blocks {\n		dx = b.Backward(dx)\n	}\n"}}, "Layer 0 reads the embeddings.", loop),
		lmBoth("layer-input-added", "the input of every layer is added to its output once more",
			[]Edit{{lmBlocks, "	for _, b := range m.Blocks {\n		z := x.Clone()\n		for i, v := range b.Forward(x, m.positions).Data {\n			z.Data[i] += v\n		}\n		x = z\n	}\n"}},
			[]Edit{{lmBackLoop, back + "dx.Clone()\n		for i, g := range m.Blocks[l].Backward(dx).Data {\n			dx.Data[i] += g\n		}\n	}\n"}},
			"A block holds its two residual connections itself.", loop),
	}
}

// lmLogitMistakes are about what Forward returns.
func lmLogitMistakes() []Mistake {
	const (
		raw   = "Forward returns logits: cross-entropy and Distribution each take their own softmax."
		hint  = "return Head.Forward(Norm.Forward(x))."
		probs = "	m.probs = softmax.Softmax(m.probs, m.Head.Forward(m.Norm.Forward(x)), -1)\n	return m.probs, nil\n"
		logs  = "	logits := m.Head.Forward(m.Norm.Forward(x))\n	for r, lse := range softmax.LogSumExp(logits, -1).Data {\n		for i := range logits.Row(r) {\n			logits.Row(r)[i] -= lse\n		}\n	}\n	return logits, nil\n"
		last  = "	h := m.Norm.Forward(x)\n	last := tensor.New(len(ids), 1, m.Config.DModel)\n	for b := range ids {\n		copy(last.Row(b), h.Row((b+1)*seq-1))\n	}\n	return m.Head.Forward(last), nil\n"
	)
	withSoftmax, field := Edit{lmRopeStep, lmRopeStep + "	\"github.com/stubformer/stubformer/steps/step07_softmax\"\n"}, Edit{lmFields, lmFields + "	probs     *tensor.Tensor\n"}
	return []Mistake{
		lmBoth("softmax-in-forward", "Forward returns probabilities: the softmax is in the model",
			[]Edit{{lmLogits, probs}, withSoftmax, field},
			[]Edit{{lmBack, "	dlogits = softmax.Backward(nil, m.probs, dlogits, -1)\n" + lmBack}},
			raw+" Taken twice, it leaves hardly any difference between the likeliest and the least likely token.", hint),
		{
			ID: "log-softmax-in-forward", Title: "Forward returns logarithms of probabilities: the log-softmax is in the model",
			File: lmFile, Old: lmLogits, New: logs, More: []Edit{withSoftmax},
			Why: raw + " The loss cannot tell, since a softmax ignores what all logits have in common, but the work is done twice.", Hint: hint,
		},
		{
			ID: "last-token-only", Title: "Forward returns the logits of the last position only",
			File: lmFile, Old: lmLogits, New: last,
			Why:  "Generation needs the last position alone; training learns from all T of them at once.",
			Hint: "The logits are (B, T, V).",
			Variants: []Variant{{"without-time", []Edit{{lmLogits, last[:len(last)-len("	return m.Head.Forward(last), nil\n")] +
				"	return m.Head.Forward(last.Reshape(len(ids), m.Config.DModel)), nil\n"}}}},
		},
	}
}

// lmBackwardMistakes are about the way back.
func lmBackwardMistakes() []Mistake {
	const order = "logits ← Head ← Norm ← blocks, from the last to the first ← Embedding."
	change := func(id, title, old, new, why string) Mistake {
		return Mistake{ID: id, Title: title, File: lmFile, Old: old, New: new, Why: why, Hint: order}
	}
	return []Mistake{
		change("layers-not-reversed", "the way back goes through the layers from the first to the last",
			lmBackLoop, "	for _, b := range m.Blocks {\n		dx = b.Backward(dx)\n	}\n", "What was computed last is undone first."),
		change("final-norm-not-undone", "the way back leaves out the last norm",
			lmBack, "	dx := m.Head.Backward(dlogits)\n", "Each step of the forward pass has its counterpart on the way back."),
		change("embedding-not-trained", "the embedding gets no gradient",
			lmBackEnd, "	_ = dx\n", "The tokens' vectors are parameters like all others."),
		change("gradients-cleared", "Backward clears the gradients before it adds the new ones",
			lmBack, "	for _, p := range m.Params() {\n		p.ZeroGrad()\n	}\n"+lmBack,
			"Gradients collect over calls until the optimiser clears them: a large batch may be done in parts."),
		change("gradient-averaged-again", "Backward divides by the number of tokens once more",
			lmBack, "	for i := range dlogits.Data {\n		dlogits.Data[i] /= float32(dlogits.Rows())\n	}\n"+lmBack,
			"The loss is the mean over all tokens. The division is in dlogits already."),
	}
}
