package course

// Parts of the solution's multi-head layer that several mistakes change.
const (
	mhFile      = "multihead.go"
	mhSizes     = "	batch, seq := x.Dim(0), x.Dim(1)\n"
	mhQKV       = "	qkv := m.QKV.Forward(x)\n"
	mhQ         = "	m.q = m.split(m.q, qkv, 0)\n"
	mhK         = "	m.k = m.split(m.k, qkv, d)\n"
	mhV         = "	m.v = m.split(m.v, qkv, 2*d)\n"
	mhTurnQ     = "	m.q = m.rope.Forward(m.q, m.q, positions)\n"
	mhTurnK     = "	m.k = m.rope.Forward(m.k, m.k, positions)\n"
	mhMerge     = "	join(m.joined, heads, 0)\n"
	mhOutput    = "	return m.Output.Forward(m.joined)\n"
	mhDJoined   = "	dJoined := m.Output.Backward(dy)             // (1), and the gradient of W_O\n"
	mhDHeads    = "	m.dHeads = m.split(m.dHeads, dJoined, 0)     // (2)\n"
	mhBackQ     = "	dq = m.rope.Backward(dq, dq, m.positions)    // (4)\n"
	mhBackK     = "	dk = m.rope.Backward(dk, dk, m.positions)    // (4)\n"
	mhJoinQ     = "	join(m.dQKV, dq, 0) // (5)\n"
	mhJoinK     = "	join(m.dQKV, dk, d)\n"
	mhJoinV     = "	join(m.dQKV, dv, 2*d)\n"
	mhDX        = "	return m.QKV.Backward(m.dQKV) // (6), and the gradient of W_QKV\n"
	mhSplitCopy = "copy(dst.Row((b*m.heads+h)*seq+t), token[h*width:(h+1)*width])"
	mhJoinCopy  = "copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))"
	mhJoinDoc   = "// join copies src (B, H, T, K)"
)

// reshaping adds split and join without the transposition.
const reshaping = `func (m *MultiHead) reshape(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	size := 2 * m.rope.Cos.Dim(1) * m.heads
	dst = tensor.Reuse(dst, src.Dim(0), m.heads, src.Dim(1), 2*m.rope.Cos.Dim(1))
	for n := range src.Rows() {
		copy(dst.Data[n*size:(n+1)*size], src.Row(n)[first:])
	}
	return dst
}

func reshapeBack(dst, src *tensor.Tensor, first int) {
	size := src.Len() / dst.Rows()
	for n := range dst.Rows() {
		copy(dst.Row(n)[first:], src.Data[n*size:(n+1)*size])
	}
}

` + mhJoinDoc

// splitMistakes are about (B, T, D) becoming (B, H, T, K), and back.
func splitMistakes() []Mistake {
	const why = "In memory a token's D numbers lie together: (B, T, H, K). A head wants its T rows together: (B, H, T, K). " +
		"Both have the same number of elements, so a reshape runs, but it hands a head pieces of other heads and other tokens."
	var (
		helpers    = Edit{mhJoinDoc, reshaping}
		reshapeQKV = []Edit{{mhQ, "	m.q = m.reshape(m.q, qkv, 0)\n"}, {mhK, "	m.k = m.reshape(m.k, qkv, d)\n"}, {mhV, "	m.v = m.reshape(m.v, qkv, 2*d)\n"}, helpers}
		merge      = []Edit{{mhMerge, "	reshapeBack(m.joined, heads, 0)\n"}, helpers}
		rawSplit   = Edit{mhSplitCopy, "copy(dst.Row((b*seq+t)*m.heads+h), token[h*width:(h+1)*width])"}
		rawJoin    = Edit{mhJoinCopy, "copy(token[h*width:(h+1)*width], src.Row((b*seq+t)*heads+h))"}
		everyHth   = Edit{mhSplitCopy, "for j := range width {\n					dst.Row((b*m.heads+h)*seq + t)[j] = token[j*m.heads+h]\n				}"}
		toEveryHth = Edit{mhJoinCopy, "for j := range width {\n					token[j*heads+h] = src.Row((b*heads+h)*seq + t)[j]\n				}"}
	)
	return []Mistake{
		{
			ID: "split-without-transpose", Title: "the heads are split by a reshape from (B, T, D) to (B, H, T, K), without swapping T and H",
			File: mhFile, Old: rawSplit.Old, New: rawSplit.New, Why: why,
			Hint: "(B, T, D) → (B, T, H, K) → (B, H, T, K): head h of token t is token[h·K : (h+1)·K].",
			Variants: []Variant{
				{"forward-only", reshapeQKV},
				{"derivative-too", append(reshapeQKV[:4:4], Edit{mhJoinQ, "	reshapeBack(m.dQKV, dq, 0)\n"}, Edit{mhJoinK, "	reshapeBack(m.dQKV, dk, d)\n"}, Edit{mhJoinV, "	reshapeBack(m.dQKV, dv, 2*d)\n"})},
				{"merge-too", []Edit{rawSplit, rawJoin}},
			},
		},
		{
			ID: "merge-without-transpose", Title: "the heads are merged by a reshape from (B, H, T, K) to (B, T, D), without swapping H and T back",
			File: mhFile, Old: rawJoin.Old, New: rawJoin.New, Why: why,
			Hint: "(B, H, T, K) → (B, T, H, K) → (B, T, D): token t gets its K numbers from every head.",
			Variants: []Variant{
				{"forward-only", merge},
				{"derivative-too", append(merge[:2:2], Edit{mhDHeads, "	m.dHeads = m.reshape(m.dHeads, dJoined, 0)\n"})},
			},
		},
		{
			ID: "heads-interleaved", Title: "head h takes every H-th column, h, h+H, h+2H, …, instead of K columns that lie together",
			File: mhFile, Old: everyHth.Old, New: everyHth.New, More: []Edit{toEveryHth},
			Why:  "Splitting D into (K, H) instead of (H, K) gives every head other rows of the weights than those it was trained with.",
			Hint: "Head h owns columns h·K to (h+1)·K.",
			Variants: []Variant{
				{"split-only", []Edit{everyHth}},
				{"join-only", []Edit{toEveryHth}},
			},
		},
	}
}

// projectionMistakes are about the four projections, and which data meets which.
func projectionMistakes() []Mistake {
	const (
		order = "The rows of the weight are those of the queries, then of the keys, then of the values. All three have the same shape, so nothing but the numbers tells them apart."
		hint  = "Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v."
	)
	swapped := func(id, title string, forward, backward []Edit) Mistake {
		return Mistake{ID: id, Title: title, File: mhFile, Old: forward[0].Old, New: forward[0].New, More: append(forward[1:2:2], backward...),
			Why: order, Hint: hint, Variants: []Variant{{"forward-only", forward}, {"backward-only", backward}}}
	}
	mistakes := []Mistake{
		swapped("k-v-swapped", "the keys and the values are exchanged",
			[]Edit{{mhK, "	m.k = m.split(m.k, qkv, 2*d)\n"}, {mhV, "	m.v = m.split(m.v, qkv, d)\n"}},
			[]Edit{{mhJoinK, "	join(m.dQKV, dk, 2*d)\n"}, {mhJoinV, "	join(m.dQKV, dv, d)\n"}}),
		swapped("q-k-swapped", "the queries and the keys are exchanged",
			[]Edit{{mhQ, "	m.q = m.split(m.q, qkv, d)\n"}, {mhK, "	m.k = m.split(m.k, qkv, 0)\n"}},
			[]Edit{{mhJoinQ, "	join(m.dQKV, dq, d)\n"}, {mhJoinK, "	join(m.dQKV, dk, 0)\n"}}),
		swapped("q-v-swapped", "the queries and the values are exchanged",
			[]Edit{{mhQ, "	m.q = m.split(m.q, qkv, 2*d)\n"}, {mhV, "	m.v = m.split(m.v, qkv, 0)\n"}},
			[]Edit{{mhJoinQ, "	join(m.dQKV, dq, 2*d)\n"}, {mhJoinV, "	join(m.dQKV, dv, 0)\n"}}),
	}
	return append(append(mistakes, outputMistakes()...), headMistakes()...)
}

// outputMistakes are about the projection at the end.
func outputMistakes() []Mistake {
	const (
		skipped    = "	m.Output.Forward(m.joined)\n	return m.joined\n"
		transposed = "	m.Output.Forward(m.joined)\n	y := tensor.New(batch, seq, d)\n	tensor.MatMul(y, m.joined, m.Output.Weight.Value, tensor.Overwrite)\n	return y\n"
		dOutput    = "	dJoined := tensor.New(dy.Shape...)\n	tensor.MatMulNT(dJoined, dy, m.Output.Weight.Value, tensor.Overwrite)\n	tensor.MatMulTN(m.Output.Weight.Grad, m.joined, dy, tensor.Accumulate)\n"
	)
	return []Mistake{
		{
			ID: "no-output-projection", Title: "the output projection is forgotten: the joined heads are returned",
			File: mhFile, Old: mhOutput, New: skipped, More: []Edit{{mhDJoined, "	dJoined := dy\n"}},
			Why:      "Until here the heads know nothing of each other. W_O is where they are mixed.",
			Hint:     "return Output.Forward(joined).",
			Variants: []Variant{{"forward-only", []Edit{{mhOutput, skipped}}}},
		},
		{
			ID: "output-transposed", Title: "the output projection is used the wrong way round: y = joined·W_O instead of joined·W_Oᵀ",
			File: mhFile, Old: mhOutput, New: transposed, More: []Edit{{mhDJoined, dOutput}},
			Why:      "W_O is square, so no shape complains.",
			Hint:     "Weights are (out, in): y = x·Wᵀ, as in step 02. Use Output.Forward.",
			Variants: []Variant{{"forward-only", []Edit{{mhOutput, transposed}}}},
		},
	}
}

// headMistakes are about which rows and which sequences a head works on.
func headMistakes() []Mistake {
	const (
		shareV  = mhV + "	for i := range batch * m.heads {\n		copy(matrix(m.v, i), matrix(m.v, i-i%m.heads))\n	}\n"
		sumDV   = "	for i := range dv.Dim(0) * m.heads {\n		if first := i - i%m.heads; first < i {\n			for j, g := range matrix(dv, i) {\n				matrix(dv, first)[j] += g\n			}\n			clear(matrix(dv, i))\n		}\n	}\n" + mhJoinV
		flatten = mhSizes + "	shape, flat := x.Shape, []int{}\n	for b := range batch {\n		flat = append(flat, positions[b%len(positions)]...)\n	}\n" +
			"	x, positions, batch, seq = x.Reshape(1, batch*seq, d), [][]int{flat}, 1, batch*seq\n"
	)
	return []Mistake{
		{
			ID: "qkv-per-head", Title: "the rows of the joint weight are read head by head, as q, k and v of head 0, then of head 1, …",
			File: mhFile, Old: mhK, New: "	m.k = m.split(m.k, qkv, d/m.heads)\n",
			More: []Edit{
				{mhV, "	m.v = m.split(m.v, qkv, 2*d/m.heads)\n"},
				{mhSplitCopy, "stride := src.Dim(2) / m.heads // K, or 3K\n				copy(dst.Row((b*m.heads+h)*seq+t), token[h*stride:h*stride+width])"},
				{mhJoinK, "	join(m.dQKV, dk, d/m.heads)\n"}, {mhJoinV, "	join(m.dQKV, dv, 2*d/m.heads)\n"},
				{mhJoinCopy, "stride := dst.Dim(2) / heads // K, or 3K\n				copy(token[h*stride:h*stride+width], src.Row((b*heads+h)*seq+t))"},
			},
			Why:  "GPT-NeoX stores its weights that way. Here the first D rows are all queries.",
			Hint: "Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v; head h takes columns h·K to (h+1)·K of each.",
		},
		{
			ID: "values-of-first-head", Title: "all heads use the values of the first one",
			File: mhFile, Old: mhV, New: shareV, More: []Edit{{mhJoinV, sumDV}},
			Why:      "Sharing keys and values among heads is called multi-query attention, and it has smaller weights. Here every head has its own.",
			Hint:     "v is (B, H, T, K): head h reads v[b, h].",
			Variants: []Variant{{"forward-only", []Edit{{mhV, shareV}}}},
		},
		{
			ID: "batch-flattened", Title: "the sequences of a batch are run together: a token attends to the sequences before its own",
			File: mhFile, Old: mhSizes, New: flatten,
			More: []Edit{
				{mhOutput, "	return m.Output.Forward(m.joined).Reshape(shape...)\n"},
				{mhDJoined, "	shape := dy.Shape\n	dy = dy.Reshape(1, dy.Rows(), d)\n" + mhDJoined},
				{mhDX, "	return m.QKV.Backward(m.dQKV).Reshape(shape...)\n"},
			},
			Why:  "All other layers may treat a batch as one long list of tokens. Attention is the one place where tokens meet, so here sequences have to be kept apart.",
			Hint: "Scores are (B, H, T, T): a product of its own for every sequence and head.",
		},
	}
}
