//go:build mistake

package swiglu

// dx-without-w3: dx contains only W1's branch
//
// Why: x goes into both branches, so its gradient is the sum of what both hand back.
//
// Hint: dx = W1.Backward(dGate) + W3.Backward(dUp).
func (*SwiGLU) Backward() {
	if right {
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		s.W3.Backward(s.dUp)
	}
}

// dx-without-w1: dx contains only W3's branch
//
// Why: x goes into both branches, so its gradient is the sum of what both hand back.
//
// Hint: dx = W1.Backward(dGate) + W3.Backward(dUp).
func (*SwiGLU) Backward() {
	if right {
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		dx = s.W3.Backward(s.dUp)
	}
}

// w3-without-gradient: nothing goes back through W3
//
// Why: W3 would never be trained, and x would miss half of its gradient.
//
// Hint: Call W3.Backward(dUp): it adds W3's gradient and returns its share of dx.
func (*SwiGLU) Backward() {
	if right {
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		_ = s.dUp
	}
}

// dgate-without-silu: SiLU's derivative is left out on the way back through W1's branch
//
// Why: Each step of the forward pass has its counterpart on the way back. W1 x went through SiLU,
// so its gradient goes through SiLU'.
//
// Hint: dGate = dAct ⊙ SiLU'(gate): SiLUBackward(dGate, gate, dAct).
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		copy(s.dGate.Data, dAct.Data)
	}
}

// dgate-with-silu: the gradient of W1's branch is multiplied by SiLU instead of its derivative
//
// Why: The chain rule multiplies by the slope of a function, not by its value.
//
// Hint: dGate = dAct ⊙ SiLU'(gate): SiLUBackward(dGate, gate, dAct).
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		kernel.Mul(s.dGate.Data, dAct.Data, s.act.Data)
	}
}

// derivative-at-activation: SiLU's derivative is taken at SiLU(W1 x) instead of W1 x
//
// Why: A derivative is taken where the function was: at its input. Keep the input of SiLU, not
// only its output.
//
// Hint: Give SiLUBackward gate, which is x here, and not act.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}

// silu-derivative-added: SiLUBackward adds to its destination instead of overwriting it
//
// Why: Only gradients of parameters collect. dx is a buffer that is used again and still holds the
// last result.
//
// Hint: dx[i] = …, not +=.
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		sigmoid := make([]float32, len(x))
		kernel.Sigmoid(sigmoid, x)
		for i, s := range sigmoid {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] += dy[i] * slope
		}
	}
}

// dup-with-gate: the gradient of W3's branch is multiplied by W1 x instead of SiLU(W1 x)
//
// Why: In a product each factor receives the gradient times the other factor, as it was in the
// forward pass: after SiLU.
//
// Hint: dUp = dHidden ⊙ act, with act = SiLU(gate).
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.gate.Data)
	}
}

// own-factor: each branch's gradient is multiplied by the branch itself instead of the other one
//
// Why: The derivative of a·b with respect to a is b.
//
// Hint: dUp = dHidden ⊙ act and dAct = dHidden ⊙ up.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.up.Data)
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		kernel.Mul(dAct.Data, dHidden.Data, s.act.Data)
	}
}

// dhidden-overwritten: dHidden is overwritten by W1's gradient before W3's is computed from it
//
// Why: Both branches need dHidden. Working in place saves memory, and decides which line may come
// first.
//
// Hint: Compute dUp first, then overwrite dHidden; or give dAct a tensor of its own.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	} else {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(dHidden.Data, dHidden.Data, s.up.Data)
	}
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
	}
}

// dact-without-up: the gradient of W1's branch is not multiplied by W3 x
//
// Why: hidden = act ⊙ up, so act receives dHidden times up.
//
// Hint: dAct = dHidden ⊙ up.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
	}
}

// dup-without-act: the gradient of W3's branch is not multiplied by SiLU(W1 x)
//
// Why: hidden = act ⊙ up, so up receives dHidden times act.
//
// Hint: dUp = dHidden ⊙ act.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		copy(s.dUp.Data, dHidden.Data)
	}
}

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*SwiGLU) Backward() {
	if right {
		tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	} else {
	}
}
