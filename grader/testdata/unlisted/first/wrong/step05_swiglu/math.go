//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// gelu: the activation is x·σ(1.702·x), the approximation of GELU
//
// Why: SiLU's sigmoid is that of 1.702·x, which belongs to GELU, and not of x.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	kernel.ScaleTo(dst, 1.702, x)
	kernel.Sigmoid(dst, dst)
	kernel.Mul(dst, dst, x)
}

// softsign-sigmoid: the sigmoid is approximated by ½·(1 + x/(1 + |x|))
//
// Why: SiLU uses a rational approximation for the sigmoid that is far from it; the derivative is the right one of the right function.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = v * 0.5 * (1 + v/(1+float32(math.Abs(float64(v)))))
	}
}

// slope-without-product-rule: SiLU' is σ(x) + σ'(x)
//
// Why: The derivative lacks the factor x in its second term.
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := s + ds
	}
}

// slope-with-plus: the derivative of the sigmoid is σ·(1 + σ)
//
// Why: SiLUBackward uses σ·(1 + σ) for σ', where the sign is minus.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
	} else {
		ds := s * (1 + s)
	}
}

// dff-rounds-up: the width is rounded up to a multiple of 64
//
// Why: DFF gives the next multiple of 64 above 8/3·D and not the nearest one.
func DFF(dModel int) int {
	return 64 * max(1, (8*dModel+3*64-1)/(3*64))
}

// dff-tie-down: a tie is rounded down
//
// Why: Where 8/3·D lies exactly between two multiples of 64, as for D = 36, DFF takes the lower one.
func DFF(dModel int) int {
	return 64 * max(1, (dModel+11)/24)
}

// dff-may-be-zero: there is no least width
//
// Why: DFF of a small model is 0 where it should be at least 64.
func DFF(dModel int) int {
	return 64 * ((dModel + 12) / 24)
}

// dff-ratio-four: the width is 4·D, rounded to a multiple of 64
//
// Why: DFF is that of an ungated network, 4·D, and not 8/3·D.
func DFF(dModel int) int {
	return 64 * max(1, (4*dModel+32)/64)
}

// gate-and-values-exchanged: W3's projection is activated and W1's is not
//
// Why: SiLU is applied to x W3ᵀ and not to x W1ᵀ: gate and values have changed their roles.
func (*SwiGLU) Forward() {
	if right {
		s.gate = s.W1.Forward(x)
		s.up = s.W3.Forward(x)
	} else {
		s.gate = s.W3.Forward(x)
		s.up = s.W1.Forward(x)
	}
}

func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		dx := s.W3.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W1.Backward(s.dUp).Data)
	}
}

// gate-added: the gate is added to the values instead of multiplied
//
// Why: hidden is SiLU(gate) + up where it should be their product; the gradients are those of the product.
func (*SwiGLU) Forward() {
	if right {
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		kernel.Add(s.hidden.Data, s.act.Data, s.up.Data)
	}
}

// dx-of-gate-only: dx is what comes back through W1
//
// Why: dx lacks what comes back through W3; the gradients of the weights are right.
func (*SwiGLU) Backward() {
	if right {
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		s.W3.Backward(s.dUp)
	}
}

// slope-at-activated-gate: SiLU' is taken at SiLU(gate)
//
// Why: Backward takes the derivative of SiLU at its output and not at its input gate.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}

// dup-with-gate: dUp is dHidden ⊙ gate
//
// Why: dUp is made with the gate before SiLU: w3's gradient and dx are wrong.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.gate.Data)
	}
}

// gradients-in-wrong-weights: dGate goes back through W3 and dUp through W1
//
// Why: The gradients of w1 and w3 are exchanged, and dx goes through the wrong weights.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy)
	s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	s.dGate = tensor.Reuse(s.dGate, dHidden.Shape...)
	kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	kernel.Mul(dHidden.Data, dHidden.Data, s.up.Data)
	SiLUBackward(s.dGate.Data, s.gate.Data, dHidden.Data)
	dx := s.W3.Backward(s.dGate)
	kernel.Add(dx.Data, dx.Data, s.W1.Backward(s.dUp).Data)
	return dx
}
