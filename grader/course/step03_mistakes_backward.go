package course

// Parts of the backward pass that several mistakes change.
const (
	scatterCheck = "	tensor.CheckShape(\"Embedding.Backward: dy\", dy, e.batch, e.time, e.Weight.Value.Dim(1))\n"
	scatterAdd   = "grad[j] += d // (1)"
)

// scatterMistakes are about how the gradients of one id come together.
func scatterMistakes() []Mistake {
	return []Mistake{
		{
			ID: "last-gradient-wins", Title: "the gradient is assigned (=) where it should be added (+=), so that of a repeated id only the last occurrence counts",
			File: embeddingFile, Old: scatterAdd, New: "grad[j] = d",
			Why:  "A row that was read three times has three outputs that depend on it, and its gradient is the sum of theirs.",
			Hint: "grad[j] += d, for every occurrence of the id.",
			Variants: []Variant{{"then-added", []Edit{
				{scatterCheck, scatterCheck + "	dw := tensor.New(e.Weight.Grad.Shape...)\n	defer func() {\n		for i, g := range dw.Data {\n			e.Weight.Grad.Data[i] += g\n		}\n	}()\n"},
				{scatter, "grad := dw.Row(id)"}, {scatterAdd, "grad[j] = d"},
			}}},
		},
		{
			ID: "first-gradient-wins", Title: "of a repeated id only the first occurrence counts",
			File: embeddingFile, Old: scatterCheck, New: scatterCheck + "	seen := map[int]bool{}\n",
			More: []Edit{{scatter, "if seen[id] {\n			continue\n		}\n		seen[id] = true\n		" + scatter}},
			Why:  "An id that occurs again is not a duplicate to be dropped: it had a part in another output.",
			Hint: "Walk over all B·T ids and add each one's row of dy.",
		},
		{
			ID: "dw-overwritten", Title: "the gradient so far is cleared before the new one is added",
			File: embeddingFile, Old: scatterCheck, New: scatterCheck + "	e.Weight.Grad.Zero()\n",
			Why:  "Gradients collect over calls until the optimiser clears them. A table may also be used twice in one model.",
			Hint: "Do not clear Weight.Grad in Backward.",
			Variants: []Variant{{"used-rows-only", []Edit{
				{scatterCheck, scatterCheck + "	for _, id := range e.ids {\n		clear(e.Weight.Grad.Row(id))\n	}\n"},
			}}},
		},
		{
			ID: "averaged-over-repeats", Title: "the gradient of a repeated id is averaged over its occurrences instead of summed",
			File: embeddingFile, Old: scatterCheck, New: scatterCheck + "	count := map[int]float32{}\n	for _, id := range e.ids {\n		count[id]++\n	}\n",
			More: []Edit{{scatterAdd, "grad[j] += d / count[id]"}},
			Why:  "The chain rule adds. A token that is frequent in a batch has a larger gradient, and that is as it should be.",
			Hint: "dW[v] = Σ dy[b,t] over all places with ids[b][t] = v, without a division.",
		},
		{
			ID: "averaged-over-batch", Title: "the gradient is divided by the size of the batch",
			File: embeddingFile, Old: scatterAdd, New: "grad[j] += d / float32(len(e.ids))",
			Why:  "The loss is what averages. The division is in dy already.",
			Hint: "Add dy's rows as they are.",
			Variants: []Variant{{"over-sequences", []Edit{
				{scatterAdd, "grad[j] += d / float32(e.batch)"},
			}}},
		},
		{
			ID: "gradient-subtracted", Title: "the gradient is subtracted instead of added",
			File: embeddingFile, Old: scatterAdd, New: "grad[j] -= d",
			Why:  "The minus sign of gradient descent belongs to the optimiser. Backward computes the derivative as it is.",
			Hint: "grad[j] += d.",
		},
	}
}

// scatterPlaceMistakes are about which positions have a gradient, and which row receives it.
func scatterPlaceMistakes() []Mistake {
	return []Mistake{
		{
			ID: "last-sequence-only", Title: "only the last sequence of the batch reaches the gradient",
			File: embeddingFile, Old: scatter, New: "if n < len(e.ids)-e.time {\n			continue\n		}\n		" + scatter,
			Why:  "A list of ids that is assigned in the loop over sequences, not appended to, remembers one sequence.",
			Hint: "Keep all B·T ids of Forward, and walk over all of them.",
		},
		{
			ID: "last-token-only", Title: "only the last token of each sequence reaches the gradient",
			File: embeddingFile, Old: scatter, New: "if n%e.time != e.time-1 {\n			continue\n		}\n		" + scatter,
			Why:  "Every position predicts its next token, so every position has a gradient, not only the end.",
			Hint: "The loop runs over all T positions of all B sequences.",
		},
		{
			ID: "gradient-to-position", Title: "the gradient goes to row t of the table instead of row ids[b][t]",
			File: embeddingFile, Old: scatter, New: "id = n % e.time\n		" + scatter,
			Why:  "The row to be changed is the one that was read, wherever in the sequence that was.",
			Hint: "Use the id, not the loop's index: Weight.Grad.Row(ids[b][t]).",
		},
		{
			ID: "gradient-row-before", Title: "the gradient goes to the row before the token's own",
			File: embeddingFile, Old: scatter, New: "grad := e.Weight.Grad.Row(id - 1)",
			Why:  "Forward and Backward must mean the same row by the same id.",
			Hint: "Weight.Grad.Row(id), as in the forward pass.",
		},
		{
			ID: "one-dy-for-all", Title: "the first sequence's dy is used for every sequence",
			File: embeddingFile, Old: "range dy.Row(n) {", New: "range dy.Row(n % e.time) {",
			Why:  "dy has a row for every position of every sequence: row b·T + t.",
			Hint: "The row of dy that belongs to ids[b][t] is b·T + t.",
		},
	}
}
