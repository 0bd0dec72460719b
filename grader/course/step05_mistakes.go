package course

// swigluMistakes is what students get wrong in step 05.
func swigluMistakes() []Mistake {
	mistakes := append(append(siluMistakes(), siluRangeMistakes()...), siluBackwardMistakes()...)
	mistakes = append(mistakes, dffMistakes()...)
	mistakes = append(append(mistakes, swigluBranchMistakes()...), swigluGateMistakes()...)
	mistakes = append(append(mistakes, swigluPathMistakes()...), swigluBackwardMistakes()...)
	return append(mistakes, noForwardMistake(gluFile, "	tensor.CheckShape(\"SwiGLU.Backward: x of Forward\", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))\n"))
}

// Parts of the solution that several mistakes change.
const (
	gluFile  = "swiglu.go"
	siluBody = "	kernel.Sigmoid(dst, x)\n	kernel.Mul(dst, dst, x)\n"
	siluDX   = "kernel.SiLUGrad(dx, x, dx, dy) // (2), with σ(x) in dx\n"
	siluBack = "	kernel.Sigmoid(dx, x)\n	" + siluDX
	gluMath  = "	\"math\"\n\n	\"github.com/stubformer/stubformer/reference/kernel\"\n"
	gluFirst = "	\"github.com/stubformer/stubformer/reference/kernel\"\n"
)

// siluSlope is SiLU's derivative in plain Go, times dy: a formula of i and s = σ(x[i]).
func siluSlope(formula string) string {
	return "for i, s := range dx {\n		dx[i] = " + formula + "\n	}\n"
}

// elementwise is a loop over a formula of a float64 v.
func elementwise(dst, formula string) string {
	return "	for i, x := range x {\n		v := float64(x)\n		" + dst + "[i] = float32(" + formula + ")\n	}\n"
}

// GELU, its derivative, and its approximation by tanh.
const (
	geluBody  = "0.5 * v * (1 + math.Erf(v/math.Sqrt2))"
	geluSlope = "float64(dy[i]) * (0.5*(1+math.Erf(v/math.Sqrt2)) + v*math.Exp(-v*v/2)/math.Sqrt(2*math.Pi))"
	geluTanh  = "0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))"
)

// siluMistakes are about which function it is.
func siluMistakes() []Mistake {
	withMath := Edit{gluFirst, gluMath}
	return []Mistake{
		{
			ID: "silu-without-x", Title: "SiLU is only the sigmoid: the factor x is missing",
			File: gluFile, Old: "	kernel.Mul(dst, dst, x)\n", New: "",
			Why:  "SiLU weights its input by a sigmoid; the sigmoid alone is another, bounded function, and the unit of GLU, not of SwiGLU.",
			Hint: "SiLU(x) = x·σ(x).",
			Variants: []Variant{{"derivative-too", []Edit{
				{"	kernel.Mul(dst, dst, x)\n", ""}, {siluDX, siluSlope("dy[i] * s * (1 - s)")},
			}}},
		},
		{
			ID: "relu", Title: "ReLU is used instead of SiLU",
			File: gluFile, Old: siluBody, New: elementwise("dst", "max(v, 0)"),
			Why:  "ReLU is what SiLU looks like from afar: the same on both far sides, but with a corner at 0, and no gradient below it.",
			Hint: "SiLU(x) = x·σ(x); at x = −1 it is −0.27, not 0.",
			Variants: []Variant{{"derivative-too", []Edit{
				{siluBody, elementwise("dst", "max(v, 0)")},
				{siluBack, "	for i, v := range x {\n		dx[i] = 0\n		if v > 0 {\n			dx[i] = dy[i]\n		}\n	}\n"},
			}}},
		},
		{
			ID: "gelu", Title: "GELU is used instead of SiLU",
			File: gluFile, Old: siluBody, New: elementwise("dst", geluBody), More: []Edit{withMath},
			Why:  "GELU weights x by the normal distribution function, SiLU by the logistic one. The curves are close enough to train equally well, and to pass a loose test.",
			Hint: "SiLU(x) = x·σ(x) with σ(x) = 1/(1 + e⁻ˣ).",
			Variants: []Variant{
				{"derivative-too", []Edit{{siluBody, elementwise("dst", geluBody)}, withMath, {siluBack, elementwise("dx", geluSlope)}}},
				{"tanh", []Edit{{siluBody, elementwise("dst", geluTanh)}, withMath}},
				{"sigmoid-1.702", []Edit{{siluBody, elementwise("dst", "v / (1 + math.Exp(-1.702*v))")}, withMath}},
			},
		},
		{
			ID: "exponent-sign", Title: "the exponent of the sigmoid has the wrong sign: x/(1 + eˣ)",
			File: gluFile, Old: siluBody, New: elementwise("dst", "v / (1 + math.Exp(v))"), More: []Edit{withMath},
			Why:  "Then the gate closes where it should open: the result goes to 0 for large x and to x for very negative ones.",
			Hint: "σ(x) = 1/(1 + e⁻ˣ): near 1 for large x.",
			Variants: []Variant{{"derivative-too", []Edit{
				{siluBody, elementwise("dst", "v / (1 + math.Exp(v))")}, withMath,
				{siluDX, siluSlope("dy[i] * (1 - s) * (1 - x[i]*s)")},
			}}},
		},
	}
}

// siluRangeMistakes are about large inputs, and buffers that are used again.
func siluRangeMistakes() []Mistake {
	withMath := Edit{gluFirst, gluMath}
	return []Mistake{
		{
			ID: "silu-overflows", Title: "the sigmoid is computed as eˣ/(1 + eˣ), which is Inf/Inf for large x",
			File: gluFile, Old: siluBody, New: elementwise("dst", "v * math.Exp(v) / (1 + math.Exp(v))"), More: []Edit{withMath},
			Why:  "Both forms of the sigmoid are right on paper, but each of them has an exponential that overflows on one side. Only 1/(1 + e⁻ˣ) then divides by infinity, which is 0, instead of infinity by infinity.",
			Hint: "Use kernel.Sigmoid, or x/(1 + e⁻ˣ).",
			Variants: []Variant{
				{"float32", []Edit{{siluBody, "	kernel.Exp(dst, x)\n	for i, e := range dst {\n		dst[i] = x[i] * e / (1 + e)\n	}\n"}}},
				{"float32-sigmoid", []Edit{{siluBody, "	kernel.Exp(dst, x)\n	for i, e := range dst {\n		dst[i] = x[i] * (e / (1 + e))\n	}\n"}}},
				{"sigmoid", []Edit{{siluBody, elementwise("dst", "v * (math.Exp(v) / (1 + math.Exp(v)))")}, withMath}},
				{"derivative-too", []Edit{
					{siluBody, elementwise("dst", "v * (math.Exp(v) / (1 + math.Exp(v)))")}, withMath,
					{siluBack, "	for i, v := range x {\n		s := float32(math.Exp(float64(v)) / (1 + math.Exp(float64(v))))\n		dx[i] = dy[i] * s * (1 + v*(1-s))\n	}\n"},
				}},
				{"float32-derivative-too", []Edit{
					{siluBody, "	kernel.Exp(dst, x)\n	for i, e := range dst {\n		dst[i] = x[i] * (e / (1 + e))\n	}\n"},
					{siluBack, "	kernel.Exp(dx, x)\n	for i, e := range dx {\n		s := e / (1 + e)\n		dx[i] = dy[i] * s * (1 + x[i]*(1-s))\n	}\n"},
				}},
			},
		},
		{
			ID: "silu-added", Title: "SiLU adds to its destination instead of overwriting it",
			File: gluFile, Old: siluBody, New: "	s := make([]float32, len(x))\n	kernel.Sigmoid(s, x)\n	for i, v := range x {\n		dst[i] += v * s[i]\n	}\n",
			Why:  "The destination is a buffer that is used again. The first call finds zeros there, every later one the last result.",
			Hint: "dst[i] = …, not +=.",
		},
	}
}

// siluBackwardMistakes are about the function's derivative.
func siluBackwardMistakes() []Mistake {
	change := func(id, title, slope, why, hint string) Mistake {
		return Mistake{ID: id, Title: title, File: gluFile, Old: siluDX, New: siluSlope(slope), Why: why, Hint: hint}
	}
	const product = "x·σ(x) is a product of two factors that both depend on x, so its derivative has two terms."
	return []Mistake{
		change("silu-derivative-first-term", "SiLU's derivative is σ(x) alone: the term from σ' is missing",
			"dy[i] * s", product, "SiLU'(x) = σ(x) + x·σ'(x), with σ' = σ·(1 − σ)."),
		change("silu-derivative-second-term", "SiLU's derivative is x·σ'(x) alone: the term from x is missing",
			"dy[i] * x[i] * s * (1 - s)", product, "SiLU'(x) = σ(x) + x·σ'(x)."),
		change("silu-derivative-of-sigmoid", "the sigmoid's derivative is used for SiLU's",
			"dy[i] * s * (1 - s)", product, "Apply the product rule to x·σ(x): σ(x) + x·σ(x)·(1 − σ(x))."),
		change("silu-derivative-sign", "the second term of SiLU's derivative is subtracted",
			"dy[i] * s * (1 - x[i]*(1-s))", "σ rises everywhere, so σ' = σ·(1 − σ) is positive.",
			"SiLU'(x) = σ(x)·(1 + x·(1 − σ(x)))."),
		change("silu-derivative-sigma-squared", "σ' is taken to be σ² instead of σ·(1 − σ)",
			"dy[i] * s * (1 + x[i]*s)", "The slope of σ is largest at 0 and vanishes on both sides: it needs both σ and 1 − σ.",
			"SiLU'(x) = σ(x)·(1 + x·(1 − σ(x)))."),
		change("silu-derivative-without-dy", "SiLUBackward returns SiLU's derivative and does not multiply by dy",
			"s * (1 + x[i]*(1-s))", "A backward function does not compute a derivative but passes a gradient on: the chain rule multiplies.",
			"dx[i] = dy[i]·SiLU'(x[i])."),
	}
}

// dffMistakes are about the width of the hidden layer.
func dffMistakes() []Mistake {
	const width = "return 64 * max(1, (dModel+12)/24)"
	change := func(id, title, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: gluFile, Old: width, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const nearest = "Rounded to the nearest multiple, the number of parameters stays as close as it can to that of the network it replaces."
	return []Mistake{
		change("dff-rounded-down", "d_ff is rounded down to a multiple of 64", "return 64 * max(1, dModel/24)",
			nearest, "Integer division cuts off. Add half of the divisor before you divide.",
			Variant{"to-zero", []Edit{{width, "return 64 * (dModel / 24)"}}}),
		change("dff-rounded-up", "d_ff is rounded up to a multiple of 64", "return 64 * ((dModel + 23) / 24)",
			nearest, "Llama's code rounds up; here the nearest multiple is wanted."),
		change("dff-tie-down", "a d_ff halfway between two multiples of 64 is rounded down", "return 64 * max(1, (dModel+11)/24)",
			nearest, "A tie goes up: (dModel + 12)/24, not + 11."),
		change("dff-tie-to-even", "a d_ff halfway between two multiples of 64 is rounded to the even one",
			"n := (dModel + 12) / 24\n	if (dModel+12)%24 == 0 && n%2 == 1 {\n		n--\n	}\n	return 64 * max(1, n)",
			"math.RoundToEven is fairer on average; the contract asks for a tie to go up.", "Use math.Round, or whole numbers: (dModel + 12)/24."),
		change("dff-no-minimum", "d_ff is 0 for a small model", "return 64 * ((dModel + 12) / 24)",
			"A layer of width 0 passes nothing on.", "At least 64: take the larger of the two."),
		change("dff-not-rounded", "d_ff is not rounded to a multiple of 64", "return 8 * dModel / 3",
			"Hardware works in blocks. A width that is no multiple of the block leaves a part of each one empty.",
			"Divide by 64, round to the nearest whole number, multiply by 64.",
			Variant{"at-least-64", []Edit{{width, "return max(64, 8*dModel/3)"}}},
			Variant{"to-nearest", []Edit{{width, "return (8*dModel + 1) / 3"}}}),
		change("dff-integer-division", "8/3 is computed as a whole number, which is 2", "return 64 * max(1, (8/3*dModel+32)/64)",
			"In Go, 8/3 between two integers is 2. The order of the operations decides what is cut off, and when.",
			"Multiply first: 8·dModel/3; or compute in float64."),
		change("dff-four", "d_ff is 4·d_model", "return 64 * max(1, (4*dModel+32)/64)",
			"4·d_model is the width of a network of two matrices. SwiGLU has three, so each of them gets 2/3 of it.",
			"d_ff = 2/3·4·d_model = 8/3·d_model.",
			Variant{"not-rounded", []Edit{{width, "return 4 * dModel"}}}),
		change("dff-multiple-of-256", "d_ff is rounded to a multiple of 256", "return 256 * max(1, (8*dModel/3+128)/256)",
			"256 is the multiple in Llama's configuration. Here it is 64.", "The multiple nearest to 8/3·d_model, of 64.",
			Variant{"up", []Edit{{width, "return 256 * ((8*dModel/3 + 255) / 256)"}}}),
	}
}
