package course

import "slices"

// attentionMistakes is what students get wrong in step 08.
func attentionMistakes() []Mistake {
	return slices.Concat(
		scaleMistakes(), softmaxAxisMistakes(), maskMistakes(), maskFillMistakes(), causalMistakes(), sharedMaskMistakes(),
		splitMistakes(), projectionMistakes(), ropeUseMistakes(), tokenPositionMistakes(),
		scaleBackwardMistakes(), productBackwardMistakes(), weightsBackwardMistakes(), headsBackwardMistakes(),
	)
}

// Parts of the solution's scaled dot product that several mistakes change.
const (
	attFile     = "attention.go"
	attFields   = "q, k, v *tensor.Tensor // what Forward was given\n"
	attKept     = "	a.q, a.k, a.v = q, k, v\n"
	attScores   = "tensor.Product(false, true, n, m, width, qi, width, ki, width, s, m, false) // (N, K)·(M, K)ᵀ = (N, M)"
	attScale    = "	kernel.Scale(scale(width), a.weights.Data)\n"
	attHide     = "	mask.hide(a.weights.Data)\n"
	attSoftmax  = "	a.weights = softmax.Softmax(a.weights, a.weights, -1)\n"
	attReturnY  = "	return a.y\n"
	attRoot     = "return float32(1 / math.Sqrt(float64(width)))"
	attMath     = "	\"math\"\n\n"
	attWeights  = "{ return a.weights }"
	attBack     = "	a.dv = tensor.Reuse(a.dv, a.v.Shape...)\n"
	attDSoftmax = "	a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1) // (3)\n"
	attDScale   = "	kernel.Scale(scale(width), a.dScores.Data)                        // (4)\n"
	attReturnD  = "	return a.dq, a.dk, a.dv\n"
)

// scaleMistakes are about the factor 1/√K of the scores.
func scaleMistakes() []Mistake {
	const (
		why = "A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1 for every width of a head: " +
			"the softmax neither saturates nor evens everything out."
		hint = "score = q·k/√K, where K is the length of one query and one key."
	)
	// factor makes the mistake of another factor: in both directions, and in the forward pass alone.
	factor := func(id, title, both, forward string, more ...Edit) Mistake {
		return Mistake{ID: id, Title: title, File: attFile, Old: attRoot, New: both, More: more, Why: why, Hint: hint,
			Variants: []Variant{{"forward-only", []Edit{{attScale, forward}}}}}
	}
	withoutMath := Edit{attMath, ""}
	mistakes := []Mistake{
		factor("no-scale", "the scores are not divided by √K", "return 1", "", withoutMath),
		factor("scale-by-k", "the scores are divided by K instead of √K", "return 1 / float32(width)",
			"	kernel.Scale(1/float32(width), a.weights.Data)\n", withoutMath),
		factor("scale-by-root-2k", "the scores are divided by √(2K) instead of √K", "return float32(1 / math.Sqrt(2*float64(width)))",
			"	kernel.Scale(scale(2*width), a.weights.Data)\n"),
		factor("scale-multiplied", "the scores are multiplied by √K instead of divided", "return float32(math.Sqrt(float64(width)))",
			"	kernel.Scale(1/scale(width), a.weights.Data)\n"),
	}
	for _, s := range []struct{ id, title, size string }{
		{"scale-by-keys", "the scores are divided by √M, the root of the number of keys, instead of √K", "m"},
		{"scale-by-value-width", "the scores are divided by the root of a value's length C instead of a key's length K", "c"},
	} {
		forward := Edit{attScale, "	kernel.Scale(scale(" + s.size + "), a.weights.Data)\n"}
		mistakes = append(mistakes, Mistake{ID: s.id, Title: s.title, File: attFile, Old: forward.Old, New: forward.New,
			More: []Edit{{attDScale, "	kernel.Scale(scale(" + s.size + "), a.dScores.Data)\n"}}, Why: why, Hint: hint,
			Variants: []Variant{{"forward-only", []Edit{forward}}}})
	}
	return append(append(mistakes, misplacedScale()...), headScale()...)
}

// misplacedScale is the right factor in the wrong place.
func misplacedScale() []Mistake {
	const (
		after   = attSoftmax + "	kernel.Scale(scale(width), a.weights.Data)\n"
		inPlace = "	kernel.Scale(scale(width), q.Data)\n" + attKept
	)
	return []Mistake{
		{
			ID: "scale-after-softmax", Title: "the softmax's result is divided by √K instead of the scores",
			File: attFile, Old: attScale, New: "", More: []Edit{{attSoftmax, after}},
			Why:  "The scale is there to keep the softmax away from its flat ends. After it, the weights of a row no longer sum to 1, and nothing is less saturated.",
			Hint: "Scale, mask, softmax, in this order. Each row of the weights sums to 1.",
			Variants: []Variant{
				{"derivative-too", []Edit{
					{attScale, ""}, {attSoftmax, after},
					{attDSoftmax, "	p := a.weights.Clone()\n	kernel.Scale(1/scale(width), p.Data)\n	a.dScores = softmax.Backward(a.dScores, p, a.dScores, -1)\n"},
				}},
				{"output", []Edit{{attScale, ""}, {attReturnY, "	kernel.Scale(scale(width), a.y.Data)\n	return a.y\n"}}},
			},
		},
		{
			ID: "q-scaled-in-place", Title: "q itself is divided by √K, in the caller's memory",
			File: attFile, Old: attKept, New: inPlace, More: []Edit{{attScale, ""}},
			Why:  "q belongs to the caller, who may use it again: the second call finds it smaller than the first.",
			Hint: "Scale the scores, or a copy of q.",
			Variants: []Variant{{"derivative-too", []Edit{
				{attKept, inPlace}, {attScale, ""}, {attDScale, ""},
				{attReturnD, "	kernel.Scale(scale(width), a.dq.Data)\n	return a.dq, a.dk, a.dv\n"},
			}}},
		},
		{
			ID: "mask-before-scale", Title: "the mask is applied before the scores are divided by √K",
			File: attFile, Old: attScale + attHide, New: attHide + attScale,
			Why:       "The order of these two does not matter.",
			Hint:      "Nothing to repair.",
			Invisible: "−Inf divided by √K is −Inf, and no other score is touched by the mask.",
		},
	}
}

// headScale is a factor that is applied in the multi-head layer.
func headScale() []Mistake {
	const (
		turned = "	m.k = m.rope.Forward(m.k, m.k, positions)\n"
		back   = "	dk = m.rope.Backward(dk, dk, m.positions)    // (4)\n"
	)
	// more divides the queries by the root of a size, before Attention divides the scores by √K.
	more := func(id, title, size, why, hint string) Mistake {
		shrink := func(x string) string {
			return "	for i := range " + x + ".Data {\n		" + x + ".Data[i] /= float32(math.Sqrt(float64(" + size + ")))\n	}\n"
		}
		edits := []Edit{{"	\"fmt\"\n", "	\"fmt\"\n	\"math\"\n"}}
		forward := Edit{turned, turned + shrink("m.q")}
		return Mistake{ID: id, Title: title, File: mhFile, Old: forward.Old, New: forward.New, Why: why, Hint: hint,
			More:     append(edits, Edit{back, shrink("dq") + back}),
			Variants: []Variant{{"forward-only", append(edits, forward)}}}
	}
	return []Mistake{
		more("scale-by-d-model", "multi-head attention divides the scores by √D, the root of d_model, instead of √K", "m.heads",
			"The sum in a score runs over the K = D/H numbers of one head, so its size is √K, however many heads there are.",
			"K = D/H is the width of one head: 1/√K, not 1/√D."),
		more("scale-twice", "multi-head attention divides the queries by √K, and the scores are divided by √K once more", "2*m.rope.Cos.Dim(1)",
			"Attention scales its scores. Whoever calls it need not do it again.", "Scale in one place only: in Attention.Forward."),
	}
}
