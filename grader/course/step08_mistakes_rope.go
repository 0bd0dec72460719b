package course

// ropeUseMistakes are about what RoPE is applied to.
func ropeUseMistakes() []Mistake {
	const why = "A score is q·k. Turned by their positions, queries and keys make it depend on the distance between the two tokens."
	const hint = "Turn q and k, both, after the split; leave v as it is."
	turned := func(id, title, why string, forward, backward []Edit) Mistake {
		return Mistake{ID: id, Title: title, File: mhFile, Old: forward[0].Old, New: forward[0].New,
			More: append(forward[1:len(forward):len(forward)], backward...), Why: why, Hint: hint, Variants: []Variant{{"forward-only", forward}}}
	}
	noRoPE := turned("rope-missing", "RoPE has no effect: it is not applied, or all tokens of a head are turned by the same angle",
		why+" Without it, attention cannot tell the tokens before it from each other's order.",
		[]Edit{{mhTurnQ, ""}, {mhTurnK, ""}}, []Edit{{mhBackQ, ""}, {mhBackK, ""}})
	noRoPE.Variants = append(noRoPE.Variants, byHead())
	return []Mistake{
		noRoPE,
		turned("rope-on-q-only", "RoPE turns the queries, but not the keys",
			why+" If only one of them is turned, it depends on that one's position alone.",
			[]Edit{{mhTurnK, ""}}, []Edit{{mhBackK, ""}}),
		turned("rope-on-k-only", "RoPE turns the keys, but not the queries",
			why+" If only one of them is turned, it depends on that one's position alone.",
			[]Edit{{mhTurnQ, ""}}, []Edit{{mhBackQ, ""}}),
		turned("rope-on-v", "RoPE turns the values as well",
			"Values are what is passed on. Turned, the same token would say something else at every position, and the sum would mix the angles.",
			[]Edit{{mhV, mhV + "	m.v = m.rope.Forward(m.v, m.v, positions)\n"}}, []Edit{{mhBackK, mhBackK + "	dv = m.rope.Backward(dv, dv, m.positions)\n"}}),
		ropeBeforeSplit(),
	}
}

// byHead is RoPE along the axis of the heads. Two tokens of a head are then
// turned by the same angle, which cancels in their score.
func byHead() Variant {
	turn := func(direction, q, k string) string {
		return "	for i := range m.q.Dim(0) * m.heads {\n		place := make([]int, m.q.Dim(2))\n		for t := range place {\n			place[t] = i % m.heads\n		}\n" +
			"		for _, x := range []*tensor.Tensor{" + q + ", " + k + "} {\n			head := tensor.From(matrix(x, i), 1, x.Dim(2), x.Dim(3))\n			m.rope." + direction + "(head, head, [][]int{place})\n		}\n	}\n"
	}
	return Variant{"by-head", []Edit{{mhTurnQ, ""}, {mhTurnK, turn("Forward", "m.q", "m.k")}, {mhBackQ, ""}, {mhBackK, turn("Backward", "dq", "dk")}}}
}

// ropeBeforeSplit turns the D columns of q and k as if they were one head.
func ropeBeforeSplit() Mistake {
	turn := func(direction, rows, positions string) string {
		return "	for _, first := range []int{0, d} { // q, then k\n		part := tensor.New(" + rows + ".Dim(0), " + rows + ".Dim(1), d)\n		for n := range part.Rows() {\n			copy(part.Row(n), " + rows + ".Row(n)[first:])\n		}\n" +
			"		rope.New(10000, d, m.rope.Cos.Dim(0))." + direction + "(part, part, " + positions + ")\n		for n := range part.Rows() {\n			copy(" + rows + ".Row(n)[first:], part.Row(n))\n		}\n	}\n"
	}
	forward := []Edit{{mhQKV, mhQKV + turn("Forward", "qkv", "positions")}, {mhTurnQ, ""}, {mhTurnK, ""}}
	return Mistake{
		ID: "rope-before-split", Title: "RoPE turns q and k before they are split into heads, as vectors of D numbers",
		File: mhFile, Old: forward[0].Old, New: forward[0].New,
		More:     append(forward[1:3:3], Edit{mhBackQ, ""}, Edit{mhBackK, ""}, Edit{mhJoinV, mhJoinV + turn("Backward", "m.dQKV", "m.positions")}),
		Why:      "Every head needs the whole range of frequencies, fast ones and slow ones. Spread over D, the first head gets only fast ones and the last only slow ones.",
		Hint:     "Split first, then turn: the angles are those of K = D/H.",
		Variants: []Variant{{"forward-only", forward}},
	}
}

// tokenPositionMistakes are about the angles.
func tokenPositionMistakes() []Mistake {
	const (
		store   = "	m.positions = positions\n"
		counted = "	positions = [][]int{make([]int, x.Dim(1))}\n	for t := range positions[0] {\n		positions[0][t] = t\n	}\n"
	)
	return []Mistake{
		{
			ID: "positions-ignored", Title: "the positions are ignored: tokens are numbered 0, 1, 2, …",
			File: mhFile, Old: store, New: counted + store,
			Why:      "Positions need not begin at 0 nor be without gaps: a text that is generated token by token, or packed with others, has its own.",
			Hint:     "Hand the argument positions to RoPE.Forward.",
			Variants: []Variant{{"forward-only", []Edit{{store, store + counted}}}},
		},
		{
			ID: "first-positions-for-all", Title: "the first sequence's positions are used for the whole batch",
			File: mhFile, Old: store, New: "	positions = positions[:1]\n" + store,
			Why:      "positions has one row for all sequences, or one for each.",
			Hint:     "RoPE.Forward takes both forms: pass all rows on.",
			Variants: []Variant{{"forward-only", []Edit{{store, store + "	positions = positions[:1]\n"}}}},
		},
		{
			ID: "rope-not-undone", Title: "the gradients of q and k are not turned back",
			File: mhFile, Old: mhBackQ, New: "", More: []Edit{{mhBackK, ""}},
			Why:      "What was turned on the way forward is turned back on the way back. Attention.Backward returns the gradients of the turned q and k.",
			Hint:     "dq = RoPE.Backward(dq), dk = RoPE.Backward(dk), before they are joined.",
			Variants: []Variant{{"q", []Edit{{mhBackQ, ""}}}, {"k", []Edit{{mhBackK, ""}}}},
		},
		{
			ID: "rope-turned-again", Title: "the gradients of q and k are turned forward once more instead of back",
			File: mhFile, Old: mhBackQ, New: "	dq = m.rope.Forward(dq, dq, m.positions)\n", More: []Edit{{mhBackK, "	dk = m.rope.Forward(dk, dk, m.positions)\n"}},
			Why:  "The derivative of a rotation is the rotation itself, and a gradient meets its transpose: the rotation by the opposite angle.",
			Hint: "RoPE.Backward, not RoPE.Forward.",
		},
		{
			ID: "rope-undone-on-v", Title: "the gradient of v is turned back too, though v was never turned",
			File: mhFile, Old: mhBackK, New: mhBackK + "	dv = m.rope.Backward(dv, dv, m.positions)\n",
			Why:  "Each line of the backward pass undoes one line of the forward pass, and there is none for v.",
			Hint: "Turn back dq and dk only.",
		},
	}
}
