package course

const countFile = "accounting.go"

// countMistakes are about the number of parameters.
func countMistakes() []Mistake {
	const (
		layer = "layer := 4*d*d + 3*d*f + 2*d"
		sum   = "return 2*v*d + c.NumLayers*layer + d"
		hint  = "Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D."
	)
	change := func(id, title, old, new, why string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: countFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	return []Mistake{
		change("params-head-tied", "the head's parameters are not counted, as if it were tied to the embedding", sum, "return v*d + c.NumLayers*layer + d",
			"The head has a weight of its own."),
		change("params-without-gains", "the gains are not counted", layer, "layer := 4*d*d + 3*d*f",
			"They are few, but they are trained and stored.",
			Variant{"all", []Edit{{layer, "layer := 4*d*d + 3*d*f"}, {sum, "return 2*v*d + c.NumLayers*layer"}}},
			Variant{"last", []Edit{{sum, "return 2*v*d + c.NumLayers*layer"}}}),
		change("params-two-matrices", "the feed-forward network is counted with two matrices instead of three", layer, "layer := 4*d*d + 2*d*f + 2*d",
			"SwiGLU has three: W1 and W3 in, W2 out."),
		change("params-of-one-layer", "the parameters of one layer are counted instead of L", sum, "return 2*v*d + layer + d",
			"Every layer has weights of its own."),
		change("params-with-positions", "a table of positions is counted", sum, "return 2*v*d + c.NumLayers*layer + d + c.ContextLength*d",
			"GPT-2 learns a vector for every position. RoPE's tables are computed, not learned."),
		change("params-without-embedding", "the embedding and the head are not counted", sum, "_ = v\n	return c.NumLayers*layer + d",
			"Scaling laws often leave them out. The number of all parameters does not."),
		change("params-with-biases", "biases are counted", layer, "layer := 4*d*d + 4*d + 3*d*f + 2*f + d + 2*d",
			"No linear layer of this model has one."),
	}
}

// flopMistakes are about the work of a forward pass.
func flopMistakes() []Mistake {
	const (
		layer = "layer := 2*(4*d*d+3*d*f) + 2*2*seq*d"
		sum   = "return batch * seq * (c.NumLayers*layer + 2*d*v)"
		hint  = "A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a layer, and 2·D·V for the head."
	)
	change := func(id, title, old, new, why string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: countFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	return []Mistake{
		change("flops-without-scores", "the FLOPs leave out the products of attention itself: q·k and weights·v", layer, "layer := 2 * (4*d*d + 3*d*f)",
			"They have no parameters, but for long sequences they are most of the work."),
		change("flops-scores-half", "the FLOPs of attention's own products are half of what they should be: one of the two, or half of the T×T pairs", layer, "layer := 2*(4*d*d+3*d*f) + 2*seq*d",
			"There are two products, scores and weighted values. Both are computed for all pairs, and masked ones are thrown away."),
		change("flops-once", "a multiplication and an addition count as one", layer, "layer := 4*d*d + 3*d*f + 2*seq*d",
			"A processor's FLOPS counts both, so a product of (m, k) and (k, n) has 2·m·n·k.",
			Variant{"head-too", []Edit{{layer, "layer := 4*d*d + 3*d*f + 2*seq*d"}, {sum, "return batch * seq * (c.NumLayers*layer + d*v)"}}}),
		change("flops-without-head", "the FLOPs leave out the head", sum, "_ = v\n	return batch * seq * c.NumLayers * layer",
			"V is large: in a small model the head is a large part of the work."),
		change("flops-with-embedding", "the FLOPs count the embedding as a matrix product", sum, "return batch * seq * (c.NumLayers*layer + 2*2*d*v)",
			"An embedding is a look-up. It multiplies nothing."),
		change("flops-of-context", "the FLOPs are those of a sequence of full context length, whatever T is", layer, "layer := 2*(4*d*d+3*d*f) + 2*2*c.ContextLength*d",
			"A product is as large as the sequence that is put in.",
			Variant{"everywhere", []Edit{{sum, "seq = c.ContextLength\n	layer = 2*(4*d*d+3*d*f) + 2*2*seq*d\n	return batch * seq * (c.NumLayers*layer + 2*d*v)"}}}),
		change("flops-scores-per-head", "the FLOPs of attention's own products are counted H times too often", layer, "layer := 2*(4*d*d+3*d*f) + 2*2*seq*d*c.NumHeads",
			"Each head has K = D/H numbers a token. Together the H heads multiply as much as one head of D."),
		change("flops-scores-per-sequence", "the FLOPs of attention's own products are counted once a sequence, not for each of its tokens", sum,
			"scores := 2 * 2 * seq * d\n	return batch*seq*(c.NumLayers*(layer-scores)+2*d*v) + batch*c.NumLayers*scores", "Every one of the T queries meets T keys."),
		change("flops-of-one-sequence", "the FLOPs are those of one sequence, not of the batch", sum, "_ = batch\n	return seq * (c.NumLayers*layer + 2*d*v)",
			"A batch of B sequences is B times the work."),
		change("flops-with-backward", "the FLOPs are those of the forward and the backward pass", sum, "return 3 * batch * seq * (c.NumLayers*layer + 2*d*v)",
			"The backward pass costs twice as much as the forward pass, so training costs three times as much."),
		change("flops-two-matrices", "the FLOPs count two matrices in the feed-forward network instead of three", layer, "layer := 2*(4*d*d+2*d*f) + 2*2*seq*d",
			"SwiGLU has three: W1 and W3 in, W2 out."),
	}
}
