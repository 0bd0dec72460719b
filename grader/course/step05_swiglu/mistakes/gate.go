//go:build mistake

package swiglu

// branches-swapped: SiLU is applied to W3's branch instead of W1's
//
// Why: The two branches have the same shape, so nothing but the numbers tells them apart.
//
// Hint: Only W1's product goes through SiLU; W3's stays linear.
func New() {
	if right {
		return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
	} else {
		return &SwiGLU{W1: linear.New(w3), W2: linear.New(w2), W3: linear.New(w1)}
	}
}

// branches-swapped/forward-only
func (*SwiGLU) Forward() {
	if right {
		s.gate = s.W1.Forward(x)
		s.up = s.W3.Forward(x)
	} else {
		s.gate = s.W3.Forward(x)
		s.up = s.W1.Forward(x)
	}
}

// no-gate: W3's branch is missing: y = W2 SiLU(W1 x)
//
// Why: That is the feed-forward network of the first Transformers, with SiLU. The product with a
// second branch is what SwiGLU adds.
//
// Hint: hidden = SiLU(W1 x) ⊙ (W3 x).
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		copy(s.hidden.Data, s.act.Data)
	}
}

// no-gate/derivative-too
//
// With: no-gate
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		s.dUp.Zero()
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
	}
}

// w1-twice: both branches use W1
//
// Why: A copied line with one letter not changed. The shapes agree, so nothing complains.
//
// Hint: gate = W1 x, up = W3 x.
func (*SwiGLU) Forward() {
	if right {
		s.up = s.W3.Forward(x)
	} else {
		s.up = s.W1.Forward(x)
	}
}

// w3-twice: both branches use W3
//
// Why: A copied line with one letter not changed. The shapes agree, so nothing complains.
//
// Hint: gate = W1 x, up = W3 x.
func (*SwiGLU) Forward() {
	if right {
		s.gate = s.W1.Forward(x)
	} else {
		s.gate = s.W3.Forward(x)
	}
}

// silu-on-output: SiLU is applied at the end, to the output of W2
//
// Why: The output is added to the residual stream, which has to be free to go either way. The
// nonlinearity sits inside.
//
// Hint: SiLU acts on W1 x; W2 comes last and nothing follows it.
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)

		return s.W2.Forward(s.hidden)
	} else {
		kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)

		y := s.W2.Forward(s.hidden)
		SiLU(y.Data, y.Clone().Data)
		return y
	}
}

// silu-on-product: SiLU is applied to the product of the two branches
//
// Why: A gate decides how much of the other branch gets through. SiLU of the product lets the
// other branch decide as well.
//
// Hint: hidden = SiLU(W1 x) ⊙ (W3 x): the bracket of SiLU closes before the product.
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)
		product := s.hidden.Clone()
		SiLU(s.hidden.Data, product.Data)
	}
}

// silu-on-product/derivative-too
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		kernel.Mul(s.act.Data, s.gate.Data, s.up.Data)
		SiLU(s.hidden.Data, s.act.Data)
	}
}

func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		dProduct := dHidden.Clone()
		SiLUBackward(dProduct.Data, s.act.Data, dHidden.Data)
		kernel.Mul(s.dUp.Data, dProduct.Data, s.gate.Data)
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		kernel.Mul(dAct.Data, dProduct.Data, s.up.Data)
	}
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		copy(s.dGate.Data, dAct.Data)
	}
}

// silu-on-both: SiLU is applied to both branches
//
// Why: One branch is the gate, the other what passes through it. The second one stays linear, so
// that the network can also just multiply.
//
// Hint: Only W1's product goes through SiLU.
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		both := tensor.New(s.up.Shape...)
		SiLU(both.Data, s.up.Data)
		kernel.Mul(s.hidden.Data, s.act.Data, both.Data)
	}
}

// silu-on-both/derivative-too
//
// With: silu-on-both
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		dBoth := dHidden.Clone()
		kernel.Mul(dBoth.Data, dHidden.Data, s.act.Data)
		SiLUBackward(s.dUp.Data, s.up.Data, dBoth.Data)
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		both := tensor.New(s.up.Shape...)
		SiLU(both.Data, s.up.Data)
		kernel.Mul(dAct.Data, dHidden.Data, both.Data)
	}
}

// no-silu: SiLU is not applied at all: the two branches are multiplied as they are
//
// Why: The product of two linear maps is the bilinear variant of the paper. It is not bounded on
// one side as a gate is.
//
// Hint: hidden = SiLU(W1 x) ⊙ (W3 x).
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		kernel.Mul(s.hidden.Data, s.gate.Data, s.up.Data)
	}
}

// no-silu/derivative-too
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
		copy(s.act.Data, s.gate.Data)
	}
}

func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		copy(s.dGate.Data, dAct.Data)
	}
}

// sum-for-product: the two branches are added instead of multiplied
//
// Why: ⊙ is the product of each element with its counterpart. A sum cannot shut anything off.
//
// Hint: hidden[i] = act[i]·up[i].
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		kernel.Add(s.hidden.Data, s.act.Data, s.up.Data)
	}
}

// sum-for-product/derivative-too
//
// With: sum-for-product
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		copy(s.dUp.Data, dHidden.Data)
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
	}
}
