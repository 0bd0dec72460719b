package course

// lmInitMistakes are about a fresh model.
func lmInitMistakes() []Mistake {
	const (
		draw   = "tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))"
		table  = "initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, \"token_embeddings.weight\"))"
		ones   = "tensor.NewParam(name, initializers.Gain(d))"
		parts  = "weight(name+\"attn.\"+part+\"_proj.weight\", d, d)"
		random = "initializers.EmbeddingWeight(1, d, initializers.Rand(seed, name)).Reshape(d)"
		sigma  = "σ² = 2/(d_in + d_out) keeps the size of activations and gradients through a linear layer, whatever its sizes."
		stream = "Two tensors that begin alike compute alike, and gradient descent does not tell them apart for a long time."
	)
	change := func(id, title, old, new, why, hint string, more ...Edit) Mistake {
		return Mistake{ID: id, Title: title, File: lmFile, Old: old, New: new, More: more, Why: why, Hint: hint}
	}
	small := func(out, in, name string) string {
		return "func() *tensor.Tensor {\n		t := tensor.New(" + out + ", " + in + ")\n		initializers.TruncatedNormal(t.Data, 0.02, 3, initializers.Rand(seed, " + name + "))\n		return t\n	}()"
	}
	sameStream := change("same-stream", "several tensors are drawn from the same stream of random numbers",
		draw, "tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, \"weight\")))", stream, "initializers.Rand(seed, name), with the whole name in the state dictionary.")
	sameStream.Variants = []Variant{
		{"embedding-too", []Edit{
			{draw, "tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, \"\")))"},
			{table, "initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, \"\"))"},
		}},
		{"layers", []Edit{{draw, "tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name[len(\"layers.0.\"):])))"}}},
		{"qkv", []Edit{{parts, "weight(name+\"attn.qkv_proj.weight\", d, d)"}, {"for i, part := range []string{\"q\", \"k\", \"v\"}", "for i := range 3"}}},
	}
	return []Mistake{
		change("gains-at-0", "the gains begin at 0", ones, "tensor.NewParam(name, tensor.New(d))",
			"A norm with gains of 0 returns 0: nothing passes, and no gradient comes back.", "initializers.Gain(d)."),
		change("gains-random", "the gains are drawn at random", ones, "tensor.NewParam(name, "+random+")",
			"A gain is a factor, and 1 is the one that changes nothing.", "initializers.Gain(d)."),
		sameStream,
		change("seed-ignored", "the seed is ignored: every model begins with the same numbers",
			draw, "tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(0, name)))",
			"An experiment is repeated with other seeds to see what is chance.", "initializers.Rand(seed, name).",
			Edit{"New(cfg Config, seed uint64)", "New(cfg Config, _ uint64)"}, Edit{table, "initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(0, \"token_embeddings.weight\"))"}),
		change("head-sigma-1", "the head is drawn like an embedding, with σ = 1", lmHead,
			"	m.Head = linear.New(tensor.NewParam(\"lm_head.weight\", initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, \"lm_head.weight\"))))\n",
			"The head has the shape of an embedding, but it multiplies: logits of size √D make the first loss many times ln V.", "The head is a linear layer: LinearWeight(V, D)."),
		change("head-at-0", "the head begins at 0", lmHead, "	m.Head = linear.New(tensor.NewParam(\"lm_head.weight\", tensor.New(cfg.VocabSize, d)))\n",
			"The first loss is then exactly ln V, but at first no gradient reaches any other weight.", "LinearWeight(V, D)."),
		change("embedding-as-linear", "the embedding is drawn like a linear layer, with σ² = 2/(V + D)", table,
			"initializers.LinearWeight(cfg.VocabSize, d, initializers.Rand(seed, \"token_embeddings.weight\"))",
			"An embedding does not sum over its inputs: one row is picked. Its numbers have the size that the stream shall have, which is 1.", "EmbeddingWeight(V, D): σ = 1."),
		change("sigma-0.02", "all weights are drawn with σ = 0.02, as in GPT-2", draw, "tensor.NewParam(name, "+small("out", "in", "name")+")",
			sigma+" 0.02 fits one width only.", "LinearWeight(out, in).", Edit{table, small("cfg.VocabSize", "d", "\"token_embeddings.weight\"")}),
		change("qkv-as-one", "q, k and v are drawn as one matrix (3D, D), whose σ is smaller", "			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)\n",
			"			whole := initializers.LinearWeight(3*d, d, initializers.Rand(seed, w.Name))\n			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, whole.Data)\n",
			sigma+" That the three lie in one matrix is a matter of speed; each projection is (D, D).", "LinearWeight(D, D) for each of the three."),
		change("residual-scaled", "the projections back into the stream are drawn smaller by √(2L), as in GPT-2", draw,
			"func() *tensor.Param {\n		w := initializers.LinearWeight(out, in, initializers.Rand(seed, name))\n		if strings.HasSuffix(name, \"output_proj.weight\") || strings.HasSuffix(name, \"w2.weight\") {\n			for i := range w.Data {\n				w.Data[i] /= float32(math.Sqrt(float64(2 * cfg.NumLayers)))\n			}\n		}\n		return tensor.NewParam(name, w)\n	}()",
			"GPT-2 does this, and it has its merits. Here all linear layers begin alike.", "LinearWeight(out, in), without a factor.", Edit{"	\"fmt\"\n", "	\"fmt\"\n	\"math\"\n	\"strings\"\n"}),
	}
}

// replicaMistakes are about what a replica shares.
func replicaMistakes() []Mistake {
	const (
		first  = "	r.Embedding = embedding.New(m.Embedding.Weight.Replica())\n"
		attn   = "attention.NewMultiHead(b.Attn.QKV.Weight.Replica(), b.Attn.Output.Weight.Replica(), m.Config.NumHeads, m.rope)"
		ffn    = "swiglu.New(b.FFN.W1.Weight.Replica(), b.FFN.W2.Weight.Replica(), b.FFN.W3.Weight.Replica())"
		norms  = "block.New(b.Norm1.Gain.Replica(), attn, b.Norm2.Gain.Replica(), ffn)"
		norm   = "	r.Norm = rmsnorm.New(m.Norm.Gain.Replica())\n"
		head   = "	r.Head = linear.New(m.Head.Weight.Replica())\n"
		copied = "	own := func(p *tensor.Param) *tensor.Param { return tensor.NewParam(p.Name, p.Value.Clone()) }\n"
	)
	return []Mistake{
		{
			ID: "replica-shares-gradients", Title: "a replica shares the gradients as well: what two workers find is added to the same memory",
			File: lmFile, Old: first, New: "	r.Embedding = embedding.New(m.Embedding.Weight)\n",
			More: []Edit{
				{attn, "attention.NewMultiHead(b.Attn.QKV.Weight, b.Attn.Output.Weight, m.Config.NumHeads, m.rope)"},
				{ffn, "swiglu.New(b.FFN.W1.Weight, b.FFN.W2.Weight, b.FFN.W3.Weight)"},
				{norms, "block.New(b.Norm1.Gain, attn, b.Norm2.Gain, ffn)"},
				{norm, "	r.Norm = rmsnorm.New(m.Norm.Gain)\n"}, {head, "	r.Head = linear.New(m.Head.Weight)\n"},
			},
			Why:  "Two workers that write to one gradient at the same time lose additions, and whoever sums the replicas' gradients counts them several times.",
			Hint: "Param.Replica() shares the value and has a gradient of its own.",
		},
		{
			ID: "replica-copies-values", Title: "a replica has values of its own: a copy that does not learn of later changes",
			File: lmFile, Old: first, New: copied + "	r.Embedding = embedding.New(own(m.Embedding.Weight))\n",
			More: []Edit{
				{attn, "attention.NewMultiHead(own(b.Attn.QKV.Weight), own(b.Attn.Output.Weight), m.Config.NumHeads, m.rope)"},
				{ffn, "swiglu.New(own(b.FFN.W1.Weight), own(b.FFN.W2.Weight), own(b.FFN.W3.Weight))"},
				{norms, "block.New(own(b.Norm1.Gain), attn, own(b.Norm2.Gain), ffn)"},
				{norm, "	r.Norm = rmsnorm.New(own(m.Norm.Gain))\n"}, {head, "	r.Head = linear.New(own(m.Head.Weight))\n"},
			},
			Why:  "After the first step of the optimiser, the replicas would go on with the old weights.",
			Hint: "Param.Replica() shares the value and has a gradient of its own.",
		},
	}
}

// stateMistakes are about the state dictionary.
func stateMistakes() []Mistake {
	const (
		file    = "state.go"
		load    = "		copy(p.Value.Data, state[p.Name].Data)\n"
		refuse  = "	if len(wrong) > 0 {\n"
		missing = "		if t := state[p.Name]; t == nil {\n			wrong = append(wrong, p.Name+\" is missing\")\n		} else if !t.SameShape(p.Value) {\n"
		unknown = "			wrong = append(wrong, name+\" does not belong to this model\")\n"
	)
	return []Mistake{
		{
			ID: "state-kept-by-reference", Title: "LoadState makes parameters point to the state dictionary's arrays instead of copying them",
			File: file, Old: load, New: "		p.Value.Data = state[p.Name].Data\n",
			Why:  "q, k and v are three parts of one matrix. A part that is pointed elsewhere leaves the matrix as it was.",
			Hint: "copy(p.Value.Data, …).",
		},
		{
			ID: "state-missing-accepted", Title: "LoadState accepts a state dictionary from which an entry is missing",
			File: file, Old: missing, New: "		if t := state[p.Name]; t != nil && !t.SameShape(p.Value) {\n",
			More: []Edit{{load, "		if t := state[p.Name]; t != nil {\n			copy(p.Value.Data, t.Data)\n		}\n"}},
			Why:  "A layer that keeps its random weights does not crash: it answers nonsense.",
			Hint: "Name every entry that is missing in the error, and change nothing.",
		},
		{
			ID: "state-unknown-accepted", Title: "LoadState accepts entries that do not belong to the model",
			File: file, Old: unknown, New: "			continue\n",
			Why:  "An entry under a name that nobody asks for is most often one under a wrong name.",
			Hint: "Name every entry that does not belong to the model in the error.",
		},
		{
			ID: "state-shape-unchecked", Title: "LoadState does not compare shapes",
			File: file, Old: "} else if !t.SameShape(p.Value) {", New: "} else if false {",
			Why:  "copy stops at the shorter of two arrays, so a matrix of another shape fills a part of the parameter.",
			Hint: "Compare shapes before anything is copied.",
		},
	}
}
