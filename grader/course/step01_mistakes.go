package course

// initMistakes is what students get wrong in step 01.
func initMistakes() []Mistake {
	return append(append(drawMistakes(), weightMistakes()...), seedMistakes()...)
}

const initFile = "init.go"

// drawMistakes are about the truncated normal distribution.
func drawMistakes() []Mistake {
	const (
		first  = "		x := rng.NormFloat64()\n"
		redraw = "		for math.Abs(x) > cut { // (1)\n			x = rng.NormFloat64()\n		}\n"
		store  = "dst[i] = float32(sigma * x)"
		check  = "	if cut <= 0 {\n		panic(\"TruncatedNormal: cut must be positive, or no draw is ever accepted\")\n	}\n"
	)
	instead := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: initFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const sizes = "σ is a standard deviation: a draw from N(0, 1) is multiplied by σ, and its variance by σ²."
	return []Mistake{
		instead("clamped", "a draw from outside is moved onto the cut instead of drawn again", redraw, "		x = max(-cut, min(cut, x))\n",
			"Clamping puts the whole probability of the two tails on two single numbers. A truncated normal has no more of them at the cut than just inside.",
			"Draw again until |x| ≤ cut."),
		instead("not-cut", "the draws are not cut at all", redraw, "",
			"One draw in 370 lies outside 3σ, so a model of millions of weights has thousands there. They dominate their neurons from the start.",
			"Draw again as long as |x| > cut."),
		instead("redrawn-once", "a draw from outside is drawn again once only", redraw, "		if math.Abs(x) > cut {\n			x = rng.NormFloat64()\n		}\n",
			"The second draw may lie outside as well. At a cut of 3 that is rare, at 1 it is one draw in ten.",
			"for, not if."),
		instead("cut-unchecked", "a cut of 0 or less is not refused", check, "",
			"No draw lies within a cut of 0, so the loop that draws again never ends.",
			"Panic at the beginning unless cut > 0."),
		instead("set-to-zero", "a draw from outside is set to 0", redraw, "		if math.Abs(x) > cut {\n			x = 0\n		}\n",
			"Then the probability of the tails piles up at 0 instead of spreading over the inside.",
			"Draw again until |x| ≤ cut."),
		instead("one-tail-only", "only the upper tail is cut", redraw, "		for x > cut {\n			x = rng.NormFloat64()\n		}\n",
			"Cut on one side, a distribution has no longer the mean 0.", "Compare |x| with the cut: math.Abs(x)."),
		instead("cut-without-sigma", "the draws are compared with cut instead of cut·σ", redraw, "		for math.Abs(sigma*x) > cut {\n			x = rng.NormFloat64()\n		}\n",
			"The cut is given in units of σ. Compared with it, a draw that has been multiplied by a small σ is never far out.",
			"Compare before you multiply by σ; or compare σ·x with cut·σ."),
		instead("cut-with-sigma", "draws from N(0, 1) are compared with cut·σ instead of cut", redraw, "		for math.Abs(x) > cut*sigma {\n			x = rng.NormFloat64()\n		}\n",
			"The cut is given in units of σ. Draws that have not been multiplied by σ yet have the unit of the cut.",
			"Compare before you multiply by σ, with cut alone."),
		instead("sigma-squared", "the draws are multiplied by σ² instead of σ", store, "dst[i] = float32(sigma * sigma * x)",
			sizes, "dst[i] = σ·x."),
		instead("sigma-as-variance", "σ is taken for a variance: the draws are multiplied by √σ", store, "dst[i] = float32(math.Sqrt(sigma) * x)",
			sizes, "dst[i] = σ·x; whoever calls TruncatedNormal has taken the root."),
		instead("uniform", "the draws are uniform between −cut·σ and cut·σ", first+redraw, "		x := cut * (2*rng.Float64() - 1)\n		_ = math.Abs\n",
			"A uniform distribution has as many draws near the ends as in the middle, and another standard deviation.",
			"Begin with rng.NormFloat64()."),
		instead("only-positive", "all draws are positive", store, "dst[i] = float32(sigma * math.Abs(x))",
			"Weights of one sign make all outputs grow together. The distribution is symmetric around 0.",
			"Compare |x| with the cut, but keep x itself."),
		instead("widened", "σ is enlarged to make up for what the cut takes away", store, "dst[i] = float32(sigma * x / math.Sqrt(1-2*cut*math.Exp(-cut*cut/2)/math.Sqrt(2*math.Pi)/math.Erf(cut/math.Sqrt2)))",
			"Keras and JAX do this in their scaled initialisers. Here σ is that of the normal distribution before the cut, as in PyTorch's trunc_normal_.",
			"dst[i] = σ·x, without a correction.",
			Variant{"keras-constant", []Edit{{store, "dst[i] = float32(sigma * x / 0.87962566103423978)"}}}),
	}
}

// weightMistakes are about the sizes of the first weights.
func weightMistakes() []Mistake {
	const (
		sigma  = "sigma := math.Sqrt(2 / float64(dIn+dOut)) // (3)"
		linear = "	TruncatedNormal(w.Data, sigma, 3, rng)\n"
		table  = "	TruncatedNormal(w.Data, 1, 3, rng)\n"
	)
	instead := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: initFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const average = "On the way forward a product sums d_in terms, on the way back d_out. Neither should grow or shrink, so the variance is one over the mean of the two."
	const own = "The step asks for a truncated normal with σ² = 2/(d_in + d_out)."
	return []Mistake{
		instead("linear-variance-for-sigma", "a linear weight has the standard deviation 2/(d_in + d_out): the root is missing", sigma, "sigma := 2 / float64(dIn+dOut)\n	_ = math.Sqrt2",
			"The formula gives a variance. Weights of that size are a hundred times too small in a wide layer.", "σ = √(2/(d_in + d_out))."),
		instead("linear-he", "a linear weight has σ² = 2/d_in, the formula of He", sigma, "sigma := math.Sqrt(2 / float64(dIn))",
			"He's formula makes up for a ReLU that shuts off half of its inputs. "+average, "The denominator is d_in + d_out."),
		instead("linear-fan-out", "a linear weight has σ² = 2/d_out", sigma, "sigma := math.Sqrt(2 / float64(dOut))",
			average, "The denominator is d_in + d_out."),
		instead("linear-fan-in", "a linear weight has σ² = 1/d_in", sigma, "sigma := math.Sqrt(1 / float64(dIn))",
			average, "σ² = 2/(d_in + d_out)."),
		instead("linear-factor-two", "a linear weight has σ² = 1/(d_in + d_out): the factor 2 is missing", sigma, "sigma := math.Sqrt(1 / float64(dIn+dOut))",
			"The mean of d_in and d_out is half of their sum, and that half is the 2.", "σ² = 2/(d_in + d_out)."),
		instead("linear-product", "a linear weight has the product d_in·d_out in its σ² instead of the sum", sigma, "sigma := math.Sqrt(2 / float64(dIn*dOut))",
			average, "The denominator is d_in + d_out."),
		instead("linear-gpt2", "a linear weight has σ = 0.02, whatever its size", sigma, "sigma := 0.02\n	_ = math.Sqrt2",
			"GPT-2 used one σ for all its matrices, which suits widths of some thousands. "+own, "σ depends on d_in and d_out."),
		instead("linear-uniform", "a linear weight is uniform with Glorot's limit √(6/(d_in + d_out))", linear, "	for i := range w.Data {\n		w.Data[i] = float32(math.Sqrt(3) * sigma * (2*rng.Float64() - 1))\n	}\n",
			"Glorot's paper has the uniform form, PyTorch calls it xavier_uniform_. Its variance is the same, its shape is not. "+own, "Call TruncatedNormal with σ and a cut of 3."),
		instead("linear-pytorch", "a linear weight is uniform between ±1/√d_in, PyTorch's own default", linear, "	for i := range w.Data {\n		w.Data[i] = float32((2*rng.Float64() - 1) / math.Sqrt(float64(dIn)))\n	}\n	_ = sigma\n",
			"nn.Linear draws this way for reasons of history. "+own, "Call TruncatedNormal with σ and a cut of 3."),
		instead("linear-not-cut", "a linear weight is not cut", linear, "	for i := range w.Data {\n		w.Data[i] = float32(sigma * rng.NormFloat64())\n	}\n",
			"One draw in 370 lies outside 3σ. "+own, "Call TruncatedNormal with a cut of 3."),
		instead("linear-cut-at-2", "a linear weight is cut at 2σ", linear, "	TruncatedNormal(w.Data, sigma, 2, rng)\n",
			"2σ is the cut of TensorFlow. It takes away 5 % of the draws and makes the rest 12 % smaller.", "The cut is 3."),
		instead("linear-cut-in-sigma", "a linear weight's cut is given as 3σ instead of 3", linear, "	TruncatedNormal(w.Data, sigma, 3*sigma, rng)\n",
			"TruncatedNormal takes its cut in units of σ and multiplies by σ itself. Multiplied twice, the cut leaves almost nothing but the middle.", "The cut is 3."),
		instead("linear-shape", "a linear weight has the shape (d_in, d_out)", "w := tensor.New(dOut, dIn)", "w := tensor.New(dIn, dOut)",
			"Weights are (out, in): a row for every output.", "tensor.New(dOut, dIn)."),
		instead("embedding-like-linear", "an embedding has σ² = 2/(V + d_model), like a linear weight", table, "	TruncatedNormal(w.Data, math.Sqrt(2/float64(vocab+dModel)), 3, rng)\n",
			"A linear layer sums over its inputs, and a sum of many terms has to be kept small. A look-up sums nothing.", "σ = 1."),
		instead("embedding-0.02", "an embedding has σ = 0.02", table, "	TruncatedNormal(w.Data, 0.02, 3, rng)\n",
			"That is GPT-2's σ. Here embeddings begin at σ = 1, the size that the norms give to everything else.", "σ = 1."),
		instead("embedding-root-d", "an embedding has σ = 1/√d_model", table, "	TruncatedNormal(w.Data, 1/math.Sqrt(float64(dModel)), 3, rng)\n",
			"A vector of length 1 is what a tied output layer wants. This model has an output layer of its own.", "σ = 1."),
		instead("embedding-not-cut", "an embedding is not cut", table, "	for i := range w.Data {\n		w.Data[i] = float32(rng.NormFloat64())\n	}\n",
			"Embeddings are drawn like the other weights: a truncated normal.", "Call TruncatedNormal with σ = 1 and a cut of 3."),
		instead("embedding-cut-at-2", "an embedding is cut at 2", table, "	TruncatedNormal(w.Data, 1, 2, rng)\n",
			"2σ is the cut of TensorFlow. It takes away 5 % of the draws and makes the rest 12 % smaller.", "The cut is 3."),
		instead("embedding-shape", "an embedding has the shape (d_model, V)", "w := tensor.New(vocab, dModel)", "w := tensor.New(dModel, vocab)",
			"A table has a row for every token.", "tensor.New(vocab, dModel)."),
		instead("gain-zeros", "gains are 0", "	g.Fill(1)\n", "	g.Fill(0)\n",
			"A gain of 0 shuts its layer off. Gemma's are 0 because its norm multiplies by 1 + g.", "Fill the vector with ones."),
	}
}

// seedMistakes are about the random streams.
func seedMistakes() []Mistake {
	const (
		source = "return rand.New(rand.NewPCG(seed, h.Sum64()))"
		linear = "	TruncatedNormal(w.Data, sigma, 3, rng)\n"
		table  = "	TruncatedNormal(w.Data, 1, 3, rng)\n"
		redraw = "			x = rng.NormFloat64()\n"
	)
	return []Mistake{
		{
			ID: "same-stream-for-all", Title: "the name is not used: every tensor starts from the same stream",
			File: initFile, Old: source, New: "return rand.New(rand.NewPCG(seed, 0))",
			Why:      "Two tensors with one stream begin with the same numbers. Layers that start equal, and are fed alike, learn alike.",
			Hint:     "Mix the name into the generator's second seed: a hash of it (hash/fnv).",
			Variants: []Variant{{"by-length", []Edit{{source, "return rand.New(rand.NewPCG(seed, uint64(len(name))))"}}}},
		},
		{
			ID: "seed-ignored", Title: "the seed is not used",
			File: initFile, Old: source, New: "return rand.New(rand.NewPCG(1, h.Sum64()))",
			Why:  "Whoever repeats an experiment with other seeds wants to know how much of a result is luck.",
			Hint: "The seed is one of the two numbers that rand.NewPCG takes.",
		},
		{
			ID: "not-reproducible", Title: "the numbers are others in every run",
			File: initFile, Old: source, New: "return rand.New(rand.NewPCG(rand.Uint64(), h.Sum64()))",
			Why:  "The functions of math/rand/v2 without a generator of your own are seeded by the system. A run that cannot be repeated cannot be debugged.",
			Hint: "Use the seed that you are given, and no clock.",
		},
		{
			ID: "seed-plus-name", Title: "seed and name are added: another name with another seed gives the same stream",
			File: initFile, Old: source, New: "for _, b := range []byte(name) {\n		seed += uint64(b)\n	}\n	return rand.New(rand.NewPCG(seed, 0))",
			Why:  "The sum of letters grows by 1 from layers.0 to layers.1, and so does the seed from run to run. Layer 1 of one run is then layer 0 of the next.",
			Hint: "Keep the two apart: one seed of the generator each. A hash scatters names better than a sum does.",
		},
		{
			ID: "weights-own-stream", Title: "a weight is drawn from a stream of its own instead of the rng that is handed in",
			File: initFile, Old: linear, New: "	TruncatedNormal(w.Data, sigma, 3, Rand(1, \"linear\"))\n",
			Why:      "All matrices of a shape then hold the same numbers, whatever the seed is. Whoever calls decides where the chance comes from.",
			Hint:     "Hand rng on to TruncatedNormal.",
			Variants: []Variant{{"embedding", []Edit{{table, "	TruncatedNormal(w.Data, 1, 3, Rand(1, \"table\"))\n"}}}},
		},
		{
			ID: "weights-own-chance", Title: "a weight is drawn from the system's chance instead of the rng that is handed in",
			File: initFile, Old: linear, New: "	TruncatedNormal(w.Data, sigma, 3, Rand(rand.Uint64(), \"linear\"))\n",
			Why:      "The functions of math/rand/v2 without a generator of your own are seeded by the system. A model that cannot be made again cannot be debugged.",
			Hint:     "Hand rng on to TruncatedNormal.",
			Variants: []Variant{{"embedding", []Edit{{table, "	TruncatedNormal(w.Data, 1, 3, Rand(rand.Uint64(), \"table\"))\n"}}}},
		},
		{
			ID: "redrawn-from-system", Title: "a draw from outside is drawn again from the system's chance instead of rng",
			File: initFile, Old: redraw, New: "			x = rand.NormFloat64()\n",
			Why:  "At a cut of 3 it is one draw in 370, so a small tensor is the same in most runs, and a large one never.",
			Hint: "rng.NormFloat64() both times. rand is the package, rng the generator.",
		},
	}
}
