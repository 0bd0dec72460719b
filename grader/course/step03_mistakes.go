package course

// embeddingMistakes is what students get wrong in step 03.
func embeddingMistakes() []Mistake {
	mistakes := append(append(lookUpRowMistakes(), lookUpOrderMistakes()...), lookUpIDMistakes()...)
	return append(append(mistakes, scatterMistakes()...), scatterPlaceMistakes()...)
}

// Parts of the solution that several mistakes change.
const (
	embeddingFile    = "embedding.go"
	lookUp           = "copy(e.y.Row(n), e.Weight.Value.Row(id))"
	scatter          = "grad := e.Weight.Grad.Row(id)"
	scaledLookUp     = "for j, v := range e.Weight.Value.Row(id) {\n			e.y.Row(n)[j] = v * float32(math.Sqrt(float64(e.Weight.Value.Dim(1))))\n		}"
	embeddingImports = "import (\n	\"fmt\"\n"
)

// lookUpRowMistakes are about which row of the table is read.
func lookUpRowMistakes() []Mistake {
	return []Mistake{
		{
			ID: "ids-from-one", Title: "ids are taken to begin at 1: row id − 1 is read",
			File: embeddingFile, Old: lookUp, New: "copy(e.y.Row(n), e.Weight.Value.Row(id-1))",
			Why:  "Token ids are indexes, so the first is 0 and the last V − 1. Row −1 does not exist, and every other token gets its neighbour's vector.",
			Hint: "The row of id is Weight.Value.Row(id).",
			Variants: []Variant{
				{"in-the-gradient-too", []Edit{{lookUp, "copy(e.y.Row(n), e.Weight.Value.Row(id-1))"}, {scatter, "grad := e.Weight.Grad.Row(id - 1)"}}},
				{"wraps", []Edit{{lookUp, "copy(e.y.Row(n), e.Weight.Value.Row((id+e.Weight.Value.Dim(0)-1)%e.Weight.Value.Dim(0)))"}}},
			},
		},
		{
			ID: "next-row", Title: "the row after the token's own is read: row id + 1",
			File: embeddingFile, Old: lookUp, New: "copy(e.y.Row(n), e.Weight.Value.Row(id+1))",
			Why:  "Some tables keep row 0 for padding. This one does not: it has exactly V rows, and the last token has no row after its own.",
			Hint: "The row of id is Weight.Value.Row(id).",
			Variants: []Variant{
				{"in-the-gradient-too", []Edit{{lookUp, "copy(e.y.Row(n), e.Weight.Value.Row(id+1))"}, {scatter, "grad := e.Weight.Grad.Row(id + 1)"}}},
				{"wraps", []Edit{{lookUp, "copy(e.y.Row(n), e.Weight.Value.Row((id+1)%e.Weight.Value.Dim(0)))"}}},
			},
		},
		{
			ID: "padding-row", Title: "id 0 is taken for padding: its vector is zero",
			File: embeddingFile, Old: lookUp, New: "if id != 0 {\n			" + lookUp + "\n		} else {\n			clear(e.y.Row(n))\n		}",
			Why:  "PyTorch's Embedding can be told that one id is padding. Here every id is a token, and 0 as good as any.",
			Hint: "Treat id 0 like all others.",
			Variants: []Variant{{"in-the-gradient-too", []Edit{
				{lookUp, "if id != 0 {\n			" + lookUp + "\n		} else {\n			clear(e.y.Row(n))\n		}"},
				{scatter, "if id == 0 {\n			continue\n		}\n		" + scatter},
			}}},
		},
		{
			ID: "table-read-as-d-v", Title: "the table is read as (D, V): a column is taken for a row",
			File: embeddingFile, Old: lookUp, New: "for j := range e.y.Row(n) {\n			e.y.Row(n)[j] = e.Weight.Value.Data[j*e.Weight.Value.Dim(0)+id]\n		}",
			Why:  "The table is (V, D), a row for every token. A vector's numbers lie next to each other, not V apart.",
			Hint: "Element j of the vector of id is Data[id·D + j].",
			Variants: []Variant{{"in-the-gradient-too", []Edit{
				{lookUp, "for j := range e.y.Row(n) {\n			e.y.Row(n)[j] = e.Weight.Value.Data[j*e.Weight.Value.Dim(0)+id]\n		}"},
				{scatter, "table := e.Weight.Grad.Data"},
				{"grad[j] += d // (1)", "table[j*e.Weight.Value.Dim(0)+id] += d"},
			}}},
		},
	}
}

// lookUpOrderMistakes are about what becomes of the rows.
func lookUpOrderMistakes() []Mistake {
	withMath := Edit{embeddingImports, embeddingImports + "	\"math\"\n"}
	return []Mistake{
		{
			ID: "scaled-by-root-d", Title: "the vectors are multiplied by √D",
			File: embeddingFile, Old: lookUp, New: scaledLookUp, More: []Edit{withMath},
			Why:  "The Transformer of 2017 scaled its embeddings by √d_model. Models with a norm before every layer do not: the norm would undo it.",
			Hint: "Copy the row as it is.",
			Variants: []Variant{{"in-the-gradient-too", []Edit{
				{lookUp, scaledLookUp}, withMath, {"grad[j] += d // (1)", "grad[j] += d * float32(math.Sqrt(float64(len(grad)))) // (1)"},
			}}},
		},
		{
			ID: "time-major", Title: "the ids are read column by column: y[b, t] holds the vector of another position",
			File: embeddingFile, Old: lookUp, New: "copy(e.y.Row(n%e.time*e.batch+n/e.time), e.Weight.Value.Row(id))",
			Why:  "Tensors are row-major: all positions of the first sequence come first, then those of the second.",
			Hint: "Position (b, t) is row b·T + t of y.",
			Variants: []Variant{{"in-the-gradient-too", []Edit{
				{lookUp, "copy(e.y.Row(n%e.time*e.batch+n/e.time), e.Weight.Value.Row(id))"},
				{"range dy.Row(n) {", "range dy.Row(n%e.time*e.batch + n/e.time) {"},
			}}},
		},
		{
			ID: "first-sequence-for-all", Title: "the ids of the first sequence are used for every sequence of the batch",
			File: embeddingFile, Old: lookUp, New: "id = e.ids[n%e.time]\n		" + lookUp,
			Why:  "With a batch of one the mistake does not show; with more, all sequences but the first are somebody else's.",
			Hint: "Look up ids[b][t] with the b of the row you write.",
			Variants: []Variant{{"in-the-gradient-too", []Edit{
				{lookUp, "id = e.ids[n%e.time]\n		" + lookUp}, {scatter, "id = e.ids[n%e.time]\n		" + scatter},
			}}},
		},
	}
}

// lookUpIDMistakes are about the ids that are let through and kept.
func lookUpIDMistakes() []Mistake {
	return []Mistake{
		{
			ID: "last-id-allowed", Title: "the check lets an id through that is equal to the vocabulary's size",
			File: embeddingFile, Old: "id >= vocab", New: "id > vocab",
			Why:  "V ids begin at 0, so the largest is V − 1.",
			Hint: "An id is wrong if id < 0 or id >= V.",
		},
		{
			ID: "negative-ids-unchecked", Title: "negative ids are not refused",
			File: embeddingFile, Old: "id < 0 || id >= vocab", New: "id >= vocab",
			Why:  "−1 is what many programs write for a missing token, and it must not end as a crash without a name.",
			Hint: "An id is wrong if id < 0 or id >= V.",
		},
		{
			ID: "bad-ids-replaced", Title: "ids outside the vocabulary are replaced by 0 instead of refused",
			File: embeddingFile, Old: "				return tensor.IndexError{Op: fmt.Sprintf(\"Embedding.Forward: ids[%d][%d]\", b, t),\n					Got: id, Limit: vocab}\n",
			New:  "				row[t] = 0\n",
			Why:  "A wrong id means that the tokenizer and the model do not belong together. A model that goes on trains on noise.",
			Hint: "Return a tensor.IndexError with the place in Op.",
		},
		{
			ID: "ids-kept", Title: "the ids of the call before are still in the layer's list",
			File: embeddingFile, Old: "	e.ids = e.ids[:0]\n", New: "",
			Why:  "A layer is called once for every batch. What it keeps for Backward belongs to the last call alone.",
			Hint: "Begin Forward with an empty list: e.ids = e.ids[:0].",
		},
	}
}
