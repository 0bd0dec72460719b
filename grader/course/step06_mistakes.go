package course

// ropeMistakes is what students get wrong in step 06.
func ropeMistakes() []Mistake {
	mistakes := append(append(ropeAngleMistakes(), ropeRotationMistakes()...), ropeBackMistakes()...)
	return append(append(mistakes, ropeTokenMistakes()...), ropePositionMistakes()...)
}

const ropeFile = "rope.go"

// ropeAngleMistakes are about the tables.
func ropeAngleMistakes() []Mistake {
	const angle = "angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))"
	instead := func(id, title, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: ropeFile, Old: angle, New: "angle := " + new, Why: why, Hint: hint, Variants: variants}
	}
	const formula = "The angle of pair k at position p is p·Θ^(−2k/K), k from 0."
	return []Mistake{
		instead("pairs-from-one", "the pairs are counted from 1: the exponent is one pair too far", "float64(p) * math.Pow(theta, -float64(2*(k+1))/float64(dK))",
			"The first pair turns by one radian a position, because Θ to the power 0 is 1. Counted from 1 it is already slower.", formula),
		instead("papers-index", "the paper's −2(k − 1)/K, which counts pairs from 1, is used with pairs from 0", "float64(p) * math.Pow(theta, -float64(2*(k-1))/float64(dK))",
			"RoFormer numbers its pairs 1 to K/2. With k from 0 the first pair would turn by more than a radian a position.", formula),
		instead("exponent-k", "the exponent is −k/K: the factor 2 is missing", "float64(p) * math.Pow(theta, -float64(k)/float64(dK))",
			"There are K/2 pairs, so 2k/K runs from 0 to nearly 1. With k/K the slowest pair turns √Θ times too fast, and distant positions look alike.", formula),
		instead("exponent-half-width", "the exponent is −2k/(K/2): it is divided by the number of pairs, and the factor 2 is still there", "float64(p) * math.Pow(theta, -float64(2*k)/float64(dK/2))",
			"The exponent runs from 0 to nearly 1, either as 2k/K or as k/(K/2).", formula),
		instead("exponent-positive", "the exponent is positive: Θ^(+2k/K)", "float64(p) * math.Pow(theta, float64(2*k)/float64(dK))",
			"Each pair should turn slower than the one before it. A positive exponent makes the last ones spin thousands of times a position.", formula),
		instead("exponent-integer", "the exponent 2k/K is divided as a whole number, which is 0", "float64(p) * math.Pow(theta, -float64(2*k/dK))",
			"In Go, 2*k/dK between integers cuts off, and every pair turns by one radian a position.", "Convert before you divide: float64(2*k)/float64(dK)."),
		instead("theta-fixed", "Θ is fixed at 10000 instead of the one that is given", "float64(p) * math.Pow(10000, -float64(2*k)/float64(dK))",
			"Models for long texts use another Θ: Llama 3 has 500,000.", "Use the argument theta."),
		instead("float32-angles", "the angles are computed in float32", "float64(float32(p) * float32(math.Pow(theta, -float64(2*k)/float64(dK))))",
			"float32 keeps seven digits. An angle of 10,000 radians has four of them before the point, so its cosine is good to three.", "Keep the angle in float64 until math.Cos and math.Sin have been taken.",
			Variant{"frequency", []Edit{{angle, "angle := float64(p) * float64(float32(math.Pow(theta, -float64(2*k)/float64(dK))))"}}},
			Variant{"inverse", []Edit{{angle, "angle := float64(float32(p) / float32(math.Pow(theta, float64(2*k)/float64(dK))))"}}}),
		instead("positions-from-one", "positions are counted from 1: row 0 of the tables is turned already", "float64(p+1) * math.Pow(theta, -float64(2*k)/float64(dK))",
			"Scores depend on distances only, so a model would not notice; but position 0 is the one that is not turned at all.", "Row p of the tables holds the angles p·Θ^(−2k/K): cosine 1 and sine 0 in row 0."),
		{
			ID: "sine-cosine-swapped", Title: "cosine and sine are exchanged in the tables",
			File: ropeFile, Old: "cos[k] = float32(math.Cos(angle))\n			sin[k] = float32(math.Sin(angle))",
			New: "cos[k] = float32(math.Sin(angle))\n			sin[k] = float32(math.Cos(angle))",
			Why: "At angle 0 nothing turns: cosine 1, sine 0.", Hint: "Cos holds the cosines.",
		},
		{
			ID: "odd-width-allowed", Title: "an odd d_k is not refused",
			File: ropeFile, Old: "dK <= 0 || dK%2 != 0", New: "dK <= 0",
			Why: "One number would be left without a partner.", Hint: "New panics with a ShapeError unless dK is positive and even.",
		},
	}
}

// The rotation of one pair, forward and backward, and what becomes of it.
const (
	ropeForward    = "		a, b, s := x[2*k], x[2*k+1], sin[k]\n		y[2*k] = a*c - b*s\n		y[2*k+1] = a*s + b*c\n"
	ropeBack       = "		a, b, s := dy[2*k], dy[2*k+1], sin[k]\n		dx[2*k] = a*c + b*s   // (1)\n		dx[2*k+1] = b*c - a*s // (1)\n"
	ropeHalves     = "		a, b, s := x[k], x[k+len(cos)], sin[k]\n		y[k] = a*c - b*s\n		y[k+len(cos)] = a*s + b*c\n"
	ropeHalvesBack = "		a, b, s := dy[k], dy[k+len(cos)], sin[k]\n		dx[k] = a*c + b*s\n		dx[k+len(cos)] = b*c - a*s\n"
	ropeOther      = "		a, b, s := x[2*k], x[2*k+1], sin[k]\n		y[2*k] = a*c + b*s\n		y[2*k+1] = b*c - a*s\n"
	ropeOtherBack  = "		a, b, s := dy[2*k], dy[2*k+1], sin[k]\n		dx[2*k] = a*c - b*s\n		dx[2*k+1] = a*s + b*c\n"
	ropePlus       = "		a, b, s := x[2*k], x[2*k+1], sin[k]\n		y[2*k] = a*c + b*s\n		y[2*k+1] = a*s + b*c\n"
	ropePlusBack   = "		a, b, s := dy[2*k], dy[2*k+1], sin[k]\n		dx[2*k] = a*c + b*s\n		dx[2*k+1] = a*s + b*c\n"
	ropeMinus      = "		a, b, s := x[2*k], x[2*k+1], sin[k]\n		y[2*k] = a*c - b*s\n		y[2*k+1] = b*c - a*s\n"
	ropeMinusBack  = "		a, b, s := dy[2*k], dy[2*k+1], sin[k]\n		dx[2*k] = a*c - b*s\n		dx[2*k+1] = b*c - a*s\n"
	ropeEarly      = "		s := sin[k]\n		y[2*k] = x[2*k]*c - x[2*k+1]*s\n		y[2*k+1] = x[2*k]*s + x[2*k+1]*c\n"
	ropeEarlyBack  = "		s := sin[k]\n		dx[2*k] = dy[2*k]*c + dy[2*k+1]*s\n		dx[2*k+1] = dy[2*k+1]*c - dy[2*k]*s\n"
	ropeRotation   = "A rotation by φ takes (a, b) to (a·cos φ − b·sin φ, a·sin φ + b·cos φ)."
)

// ropeRotationMistakes are about turning one row.
func ropeRotationMistakes() []Mistake {
	return []Mistake{
		{
			ID: "half-split", Title: "element k is paired with k + K/2 instead of 2k with 2k + 1",
			File: ropeFile, Old: ropeForward, New: ropeHalves, More: []Edit{{ropeBack, ropeHalvesBack}},
			Why:  "Both pairings are in use: RoFormer and Llama's own code take neighbours, the code of Hugging Face takes halves and permutes the weights to fit. Mixed, a trained model is ruined.",
			Hint: "Pair k is (x[2k], x[2k+1]).",
			Variants: []Variant{
				{"forward-only", []Edit{{ropeForward, ropeHalves}}},
				{"backward-only", []Edit{{ropeBack, ropeHalvesBack}}},
			},
		},
		{
			ID: "opposite-direction", Title: "the pairs are turned the other way: the sign of the sine is wrong",
			File: ropeFile, Old: ropeForward, New: ropeOther, More: []Edit{{ropeBack, ropeOtherBack}},
			Why:      "Turned the other way, scores still depend on distances only, but on −(m − n). Weights from elsewhere do not fit then.",
			Hint:     ropeRotation,
			Variants: []Variant{{"forward-only", []Edit{{ropeForward, ropeOther}}}},
		},
		{
			ID: "minus-missing", Title: "the minus sign is missing: both lines add",
			File: ropeFile, Old: ropeForward, New: ropePlus, More: []Edit{{ropeBack, ropePlusBack}},
			Why:  "Without the minus it is no rotation: lengths change, and scores no longer depend on the distance.",
			Hint: ropeRotation,
			Variants: []Variant{
				{"forward-only", []Edit{{ropeForward, ropePlus}}},
				{"backward-only", []Edit{{ropeBack, ropePlusBack}}},
			},
		},
		{
			ID: "minus-twice", Title: "there is a minus sign in both lines",
			File: ropeFile, Old: ropeForward, New: ropeMinus, More: []Edit{{ropeBack, ropeMinusBack}},
			Why:  "With two minus signs it is no rotation: lengths change, and scores no longer depend on the distance.",
			Hint: ropeRotation,
			Variants: []Variant{
				{"forward-only", []Edit{{ropeForward, ropeMinus}}},
				{"backward-only", []Edit{{ropeBack, ropeMinusBack}}},
			},
		},
	}
}

// ropeBackMistakes are about turning in place, and back.
func ropeBackMistakes() []Mistake {
	return []Mistake{
		{
			ID: "overwritten-early", Title: "the first of a pair is overwritten before the second is computed from it, if the result goes where the input stands",
			File: ropeFile, Old: ropeForward, New: ropeEarly, More: []Edit{{ropeBack, ropeEarlyBack}},
			Why:  "dst may be x. After the first line x[2k] is no longer what it was, and the second line needs the old one.",
			Hint: "Read both of the pair into variables before you write either.",
			Variants: []Variant{
				{"forward-only", []Edit{{ropeForward, ropeEarly}}},
				{"backward-only", []Edit{{ropeBack, ropeEarlyBack}}},
			},
		},
		{
			ID: "backward-rotates-forward", Title: "the backward pass turns the same way as the forward pass",
			File: ropeFile, Old: ropeBack, New: ropeOtherBack,
			Why:  "A gradient goes back through the transposed matrix. The transpose of a rotation is the rotation by −φ.",
			Hint: "The loop of the forward pass with the sign of the sine changed.",
		},
		{
			ID: "backward-unchanged", Title: "the backward pass returns dy as it is",
			File: ropeFile, Old: ropeBack, New: "		dx[2*k], dx[2*k+1] = dy[2*k], dy[2*k+1]\n		_, _ = c, sin\n",
			Why:  "A layer without parameters has a derivative all the same: its output depends on its input.",
			Hint: "Turn dy by −φ.",
		},
	}
}

// How the position of a row is found.
const (
	ropeLook  = "p := positions[b][t]\n"
	ropeShare = "		if len(positions) == 1 {\n			b = 0\n		}\n"
	ropeShape = "x is (B, …, T, K): time is the last axis but one, whatever stands between it and the batch."
)

// ropeTokenMistakes are about which token a row of x belongs to.
func ropeTokenMistakes() []Mistake {
	return []Mistake{
		{
			ID: "position-from-head", Title: "the position is taken from the head axis instead of the time axis",
			File: ropeFile, Old: ropeLook, New: "p := positions[b][row%rowsPerBatch/seq]\n		_ = t\n",
			Why:  "Then every token of a head is turned alike, and attention learns nothing about order. " + ropeShape,
			Hint: "t is the row's index modulo T.",
		},
		{
			ID: "time-before-heads", Title: "x is read as (B, T, …, K), with the time axis before the heads",
			File: ropeFile, Old: ropeLook, New: "p := positions[b][row%rowsPerBatch/(rowsPerBatch/seq)]\n		_ = t\n",
			Why:  "A split into heads gives (B, T, H, K) first and (B, H, T, K) after the transposition. " + ropeShape,
			Hint: "t is the row's index modulo T, not its quotient by the number of heads.",
		},
		{
			ID: "batch-from-head", Title: "the heads are counted as batch entries: a head gets the positions of another sequence",
			File: ropeFile, Old: ropeLook, New: "p := positions[row/seq%len(positions)][t]\n		_ = b\n",
			Why:  "All heads of a sequence stand at the same positions. " + ropeShape,
			Hint: "b is the row's index divided by the number of rows of one batch entry, heads included.",
		},
		{
			ID: "empty-batch", Title: "an empty batch panics: the number of rows is divided by a batch size of 0",
			File: ropeFile, Old: "x.Rows() / max(1, batch)", New: "x.Rows() / batch",
			Why:  "In Go a whole number divided by 0 is a panic, even if nobody needs the quotient. Generation and evaluation meet batches without rows.",
			Hint: "Divide inside the loop over rows, which an empty batch never enters.",
		},
		{
			ID: "input-overwritten", Title: "the result is written into x instead of dst",
			File: ropeFile, Old: "dst = tensor.Reuse(dst, x.Shape...)", New: "dst = x",
			Why:  "x belongs to the caller. The result goes to dst, which is a new tensor if it is nil.",
			Hint: "dst = tensor.Reuse(dst, x.Shape...), and write there.",
		},
	}
}

// ropePositionMistakes are about what the positions are used for.
func ropePositionMistakes() []Mistake {
	return []Mistake{
		{
			ID: "positions-ignored", Title: "the positions are ignored and counted from 0 along the time axis",
			File: ropeFile, Old: ropeLook, New: ropeLook + "		p = t\n",
			Why:      "In training the positions are 0, 1, 2, …, and nobody notices. When a text is generated token by token, the first new row is not position 0.",
			Hint:     "Row t of batch entry b stands at positions[b][t].",
			Variants: []Variant{{"by-row", []Edit{{ropeLook, ropeLook + "		p = row % r.Cos.Dim(0)\n"}}}},
		},
		{
			ID: "first-positions-for-all", Title: "the first row of positions is used for every batch entry",
			File: ropeFile, Old: ropeLook, New: "p := positions[0][t]\n		_ = b\n",
			Why:  "Sequences in one batch may stand at different places of their texts.",
			Hint: "positions[b][t]; only if there is one row does it serve the whole batch.",
		},
		{
			ID: "shared-row-forgotten", Title: "one row of positions for the whole batch is not provided for",
			File: ropeFile, Old: ropeShare, New: "",
			Why:  "positions is (B, T) or (1, T). With one row, positions[1] does not exist.",
			Hint: "If len(positions) is 1, use positions[0] for every batch entry.",
		},
		{
			ID: "positions-unchecked", Title: "a position outside the tables is not refused",
			File: ropeFile, Old: "p < 0 || p >= limit", New: "p < 0 && p >= limit",
			Why:  "A text that outgrows max_seq_len must end with a message that names the position, not with a crash somewhere inside.",
			Hint: "Panic with a tensor.IndexError unless 0 ≤ p < max_seq_len.",
			Variants: []Variant{
				{"last-one-let-through", []Edit{{"p < 0 || p >= limit", "p < 0 || p > limit"}}},
				{"taken-modulo", []Edit{{"p < 0 || p >= limit", "p < 0 && p >= limit"}, {ropeLook, "p := (positions[b][t]%r.Cos.Dim(0) + r.Cos.Dim(0)) % r.Cos.Dim(0)\n"}}},
			},
		},
	}
}
