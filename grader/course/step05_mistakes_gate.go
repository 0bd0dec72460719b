package course

// Parts of the solution's gated network that several mistakes change.
const (
	gluNew    = "return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}"
	gluBranch = "	s.gate = s.W1.Forward(x) // (…, F)\n	s.up = s.W3.Forward(x)   // (…, F)\n"
	gluHidden = "kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)"
	gluOut    = "return s.W2.Forward(s.hidden) // (…, D)"
	gluDUp    = "kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data) // (2)"
	gluDAct   = "	dAct := dHidden                                // dHidden is used up: its memory takes dAct\n	kernel.Mul(dAct.Data, dHidden.Data, s.up.Data) // (3)\n"
	gluDGate  = "SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data) // (4)"
	gluDX     = "kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data) // (5), and W3's gradient"
)

// SiLU of the second branch as well.
const (
	gluBoth = "both := tensor.New(s.up.Shape...)\n	SiLU(both.Data, s.up.Data)\n	"
)

// swigluBranchMistakes are about which branch is which.
func swigluBranchMistakes() []Mistake {
	return []Mistake{
		{
			ID: "branches-swapped", Title: "SiLU is applied to W3's branch instead of W1's",
			File: gluFile, Old: gluNew, New: "return &SwiGLU{W1: linear.New(w3), W2: linear.New(w2), W3: linear.New(w1)}",
			Why:  "The two branches have the same shape, so nothing but the numbers tells them apart.",
			Hint: "Only W1's product goes through SiLU; W3's stays linear.",
			Variants: []Variant{{"forward-only", []Edit{
				{gluBranch, "	s.gate = s.W3.Forward(x)\n	s.up = s.W1.Forward(x)\n"},
			}}},
		},
		{
			ID: "no-gate", Title: "W3's branch is missing: y = W2 SiLU(W1 x)",
			File: gluFile, Old: gluHidden, New: "copy(s.hidden.Data, s.act.Data)",
			Why:  "That is the feed-forward network of the first Transformers, with SiLU. The product with a second branch is what SwiGLU adds.",
			Hint: "hidden = SiLU(W1 x) ⊙ (W3 x).",
			Variants: []Variant{{"derivative-too", []Edit{
				{gluHidden, "copy(s.hidden.Data, s.act.Data)"},
				{gluDUp, "s.dUp.Zero()"}, {gluDAct, "	dAct := dHidden\n"},
			}}},
		},
		{
			ID: "w1-twice", Title: "both branches use W1",
			File: gluFile, Old: "s.up = s.W3.Forward(x)   // (…, F)", New: "s.up = s.W1.Forward(x)",
			Why:  "A copied line with one letter not changed. The shapes agree, so nothing complains.",
			Hint: "gate = W1 x, up = W3 x.",
		},
		{
			ID: "w3-twice", Title: "both branches use W3",
			File: gluFile, Old: "s.gate = s.W1.Forward(x) // (…, F)", New: "s.gate = s.W3.Forward(x)",
			Why:  "A copied line with one letter not changed. The shapes agree, so nothing complains.",
			Hint: "gate = W1 x, up = W3 x.",
		},
		{
			ID: "silu-on-output", Title: "SiLU is applied at the end, to the output of W2",
			File: gluFile, Old: gluHidden, New: "kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)",
			More: []Edit{{gluOut, "y := s.W2.Forward(s.hidden)\n	SiLU(y.Data, y.Clone().Data)\n	return y"}},
			Why:  "The output is added to the residual stream, which has to be free to go either way. The nonlinearity sits inside.",
			Hint: "SiLU acts on W1 x; W2 comes last and nothing follows it.",
		},
	}
}

// swigluGateMistakes are about how the two branches meet.
func swigluGateMistakes() []Mistake {
	return []Mistake{
		{
			ID: "silu-on-product", Title: "SiLU is applied to the product of the two branches",
			File: gluFile, Old: gluHidden, New: "kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)\n	product := s.hidden.Clone()\n	SiLU(s.hidden.Data, product.Data)",
			Why:  "A gate decides how much of the other branch gets through. SiLU of the product lets the other branch decide as well.",
			Hint: "hidden = SiLU(W1 x) ⊙ (W3 x): the bracket of SiLU closes before the product.",
			Variants: []Variant{{"derivative-too", []Edit{
				{gluHidden, "kernel.Mul(s.act.Data, s.gate.Data, s.up.Data)\n	SiLU(s.hidden.Data, s.act.Data)"},
				{gluDUp, "dProduct := dHidden.Clone()\n	SiLUBackward(dProduct.Data, s.act.Data, dHidden.Data)\n	kernel.Mul(s.dUp.Data, dProduct.Data, s.gate.Data)"},
				{gluDAct, "	dAct := dHidden\n	kernel.Mul(dAct.Data, dProduct.Data, s.up.Data)\n"},
				{gluDGate, "copy(s.dGate.Data, dAct.Data)"},
			}}},
		},
		{
			ID: "silu-on-both", Title: "SiLU is applied to both branches",
			File: gluFile, Old: gluHidden, New: gluBoth + "kernel.Mul(s.hidden.Data, s.act.Data, both.Data)",
			Why:  "One branch is the gate, the other what passes through it. The second one stays linear, so that the network can also just multiply.",
			Hint: "Only W1's product goes through SiLU.",
			Variants: []Variant{{"derivative-too", []Edit{
				{gluHidden, gluBoth + "kernel.Mul(s.hidden.Data, s.act.Data, both.Data)"},
				{gluDUp, "dBoth := dHidden.Clone()\n	kernel.Mul(dBoth.Data, dHidden.Data, s.act.Data)\n	SiLUBackward(s.dUp.Data, s.up.Data, dBoth.Data)"},
				{gluDAct, "	dAct := dHidden\n	" + gluBoth + "kernel.Mul(dAct.Data, dHidden.Data, both.Data)\n"},
			}}},
		},
		{
			ID: "no-silu", Title: "SiLU is not applied at all: the two branches are multiplied as they are",
			File: gluFile, Old: gluHidden, New: "kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)",
			Why:  "The product of two linear maps is the bilinear variant of the paper. It is not bounded on one side as a gate is.",
			Hint: "hidden = SiLU(W1 x) ⊙ (W3 x).",
			Variants: []Variant{{"derivative-too", []Edit{
				{gluHidden, "copy(s.act.Data, s.gate.Data)\n	" + gluHidden}, {gluDGate, "copy(s.dGate.Data, dAct.Data)"},
			}}},
		},
		{
			ID: "sum-for-product", Title: "the two branches are added instead of multiplied",
			File: gluFile, Old: gluHidden, New: "kernel.Add(s.hidden.Data, s.act.Data, s.up.Data)",
			Why:  "⊙ is the product of each element with its counterpart. A sum cannot shut anything off.",
			Hint: "hidden[i] = act[i]·up[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{gluHidden, "kernel.Add(s.hidden.Data, s.act.Data, s.up.Data)"},
				{gluDUp, "copy(s.dUp.Data, dHidden.Data)"}, {gluDAct, "	dAct := dHidden\n"},
			}}},
		},
	}
}

// swigluPathMistakes are about the two ways back to x.
func swigluPathMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dx-without-w3", Title: "dx contains only W1's branch",
			File: gluFile, Old: gluDX, New: "s.W3.Backward(s.dUp)",
			Why:  "x goes into both branches, so its gradient is the sum of what both hand back.",
			Hint: "dx = W1.Backward(dGate) + W3.Backward(dUp).",
		},
		{
			ID: "dx-without-w1", Title: "dx contains only W3's branch",
			File: gluFile, Old: gluDX, New: "dx = s.W3.Backward(s.dUp)",
			Why:  "x goes into both branches, so its gradient is the sum of what both hand back.",
			Hint: "dx = W1.Backward(dGate) + W3.Backward(dUp).",
		},
		{
			ID: "w3-without-gradient", Title: "nothing goes back through W3",
			File: gluFile, Old: gluDX, New: "_ = s.dUp",
			Why:  "W3 would never be trained, and x would miss half of its gradient.",
			Hint: "Call W3.Backward(dUp): it adds W3's gradient and returns its share of dx.",
		},
		{
			ID: "dgate-without-silu", Title: "SiLU's derivative is left out on the way back through W1's branch",
			File: gluFile, Old: gluDGate, New: "copy(s.dGate.Data, dAct.Data)",
			Why:  "Each step of the forward pass has its counterpart on the way back. W1 x went through SiLU, so its gradient goes through SiLU'.",
			Hint: "dGate = dAct ⊙ SiLU'(gate): SiLUBackward(dGate, gate, dAct).",
		},
		{
			ID: "dgate-with-silu", Title: "the gradient of W1's branch is multiplied by SiLU instead of its derivative",
			File: gluFile, Old: gluDGate, New: "kernel.Mul(s.dGate.Data, dAct.Data, s.act.Data)",
			Why:  "The chain rule multiplies by the slope of a function, not by its value.",
			Hint: "dGate = dAct ⊙ SiLU'(gate): SiLUBackward(dGate, gate, dAct).",
		},
		{
			ID: "derivative-at-activation", Title: "SiLU's derivative is taken at SiLU(W1 x) instead of W1 x",
			File: gluFile, Old: gluDGate, New: "SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)",
			Why:  "A derivative is taken where the function was: at its input. Keep the input of SiLU, not only its output.",
			Hint: "SiLUBackward wants x, which is gate here, not act.",
		},
		{
			ID: "silu-derivative-added", Title: "SiLUBackward adds to its destination instead of overwriting it",
			File: gluFile, Old: siluBack, New: "	s := make([]float32, len(x))\n	kernel.Sigmoid(s, x)\n	for i, s := range s {\n		dx[i] += dy[i] * s * (1 + x[i]*(1-s))\n	}\n",
			Why:  "Only gradients of parameters collect. dx is a buffer that is used again and still holds the last result.",
			Hint: "dx[i] = …, not +=.",
		},
	}
}

// swigluBackwardMistakes are about the way back through the product.
func swigluBackwardMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dup-with-gate", Title: "the gradient of W3's branch is multiplied by W1 x instead of SiLU(W1 x)",
			File: gluFile, Old: gluDUp, New: "kernel.Mul(s.dUp.Data, dHidden.Data, s.gate.Data)",
			Why:  "In a product each factor receives the gradient times the other factor, as it was in the forward pass: after SiLU.",
			Hint: "dUp = dHidden ⊙ act, with act = SiLU(gate).",
		},
		{
			ID: "own-factor", Title: "each branch's gradient is multiplied by the branch itself instead of the other one",
			File: gluFile, Old: gluDUp, New: "kernel.Mul(s.dUp.Data, dHidden.Data, s.up.Data)",
			More: []Edit{{gluDAct, "	dAct := dHidden\n	kernel.Mul(dAct.Data, dHidden.Data, s.act.Data)\n"}},
			Why:  "The derivative of a·b with respect to a is b.",
			Hint: "dUp = dHidden ⊙ act and dAct = dHidden ⊙ up.",
		},
		{
			ID: "dhidden-overwritten", Title: "dHidden is overwritten by W1's gradient before W3's is computed from it",
			File: gluFile, Old: gluDUp, New: "kernel.Mul(dHidden.Data, dHidden.Data, s.up.Data)\n	" + gluDUp,
			More: []Edit{{gluDAct, "	dAct := dHidden\n"}},
			Why:  "Both branches need dHidden. Working in place saves memory, and decides which line may come first.",
			Hint: "Compute dUp first, then overwrite dHidden; or give dAct a tensor of its own.",
		},
		{
			ID: "dact-without-up", Title: "the gradient of W1's branch is not multiplied by W3 x",
			File: gluFile, Old: gluDAct, New: "	dAct := dHidden\n",
			Why:  "hidden = act ⊙ up, so act receives dHidden times up.",
			Hint: "dAct = dHidden ⊙ up.",
		},
		{
			ID: "dup-without-act", Title: "the gradient of W3's branch is not multiplied by SiLU(W1 x)",
			File: gluFile, Old: gluDUp, New: "copy(s.dUp.Data, dHidden.Data)",
			Why:  "hidden = act ⊙ up, so up receives dHidden times act.",
			Hint: "dUp = dHidden ⊙ act.",
		},
	}
}
