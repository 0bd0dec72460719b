//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// hidden-in-memory-of-act: hidden is written over SiLU(gate), which Backward still needs
//
// Why: Forward is right, but in Backward dUp is dHidden ⊙ SiLU(gate) ⊙ up, since act holds hidden by then; W3's gradient
// and dx are wrong.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		s.hidden = s.act
	}
}

// gate-used-up-by-backward: Backward writes dGate over gate
//
// Why: the first Backward after a Forward is right; a second one takes SiLU' at dGate instead of gate, so dx and W1's
// gradient are wrong.
func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
	} else {
		copy(s.gate.Data, s.dGate.Data)
		dx := s.W1.Backward(s.gate)
	}
}

// silu-backward-adds: SiLUBackward adds to dx instead of overwriting it
//
// Why: what dx held before stays in the sum, so from the second Backward on the network's dGate contains the former one.
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		for i, v := range x {
			s := float32(1 / (1 + math.Exp(-float64(v))))
			dx[i] += dy[i] * (s + v*s*(1-s))
		}
	}
}

// silu-in-fours: SiLU goes in steps of four and leaves out the rest
//
// Why: the last one to three elements keep what dst held before if the length is not a multiple of four.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		n := len(x) / 4 * 4
		kernel.Sigmoid(dst[:n], x[:n])
		kernel.Mul(dst[:n], dst[:n], x[:n])
	}
}

// tie-to-even: DFF rounds a tie to the even multiple of 64
//
// Why: 8/3·60 = 160 lies between 128 and 192 and becomes 128 where a tie should round up; D = 36 still gives 128.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * max(1, int(math.RoundToEven(float64(dModel)/24)))
	}
}

// eight-thirds-in-integers: 8/3 is divided as integers
//
// Why: 8/3 is 2 there, so F is the multiple of 64 nearest to 2·D: DFF(512) is 1024 and not 1344.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		f := 8 / 3 * dModel
		return 64 * max(1, (f+32)/64)
	}
}

// exponent-clamped: x is limited to ±20 inside the exponential of SiLU
//
// Why: σ(x) is at least σ(−20) = 2·10⁻⁹, so far to the left SiLU is 2·10⁻⁹·x instead of 0: SiLU(−1e30) is −2·10²¹.
// SiLUBackward is right.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, v := range x {
			dst[i] = v / float32(1+math.Exp(-float64(min(max(v, -20), 20))))
		}
	}
}

// quick-gelu: x is multiplied by 1.702 inside the sigmoid
//
// Why: x·σ(1.702·x) is the approximation of GELU and not SiLU; SiLUBackward is its derivative.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
	} else {
		kernel.ScaleTo(dst, 1.702, x)
		kernel.Sigmoid(dst, dst)
	}
}

func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
	} else {
		kernel.ScaleTo(dx, 1.702, x)
		kernel.Sigmoid(dx, dx)
	}
	if right {
		ds := s * (1 - s)
	} else {
		ds := 1.702 * s * (1 - s)
	}
}

// gate-from-w3: W1 and W3 have changed places
//
// Why: the gate is x W3ᵀ and the values are x W1ᵀ, so y = (SiLU(x W3ᵀ) ⊙ x W1ᵀ) W2ᵀ; Backward is the derivative of that.
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

// residual-inside: x is added to the network's output
//
// Why: y is x + (SiLU(x W1ᵀ) ⊙ x W3ᵀ) W2ᵀ, as if the residual stream of the block were here, and dx has dy added to fit.
func (*SwiGLU) Forward() {
	if right {
		return s.W2.Forward(s.hidden)
	} else {
		y := s.W2.Forward(s.hidden)
		kernel.Add(y.Data, y.Data, x.Data)
		return y
	}
}

func (*SwiGLU) Backward() {
	if right {
		return dx
	} else {
		kernel.Add(dx.Data, dx.Data, dy.Data)
		return dx
	}
}

// slope-at-act: the derivative of SiLU is taken at SiLU(gate) instead of at gate
//
// Why: dGate is dHidden ⊙ up ⊙ SiLU'(SiLU(gate)); dx and W1's gradient are wrong, W2's and W3's right.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}

// slope-overflows: σ' is computed as e⁻ˣ/(1 + e⁻ˣ)² in float32
//
// Why: below x = −88.8 e⁻ˣ is Inf and Inf/Inf makes SiLUBackward NaN, where it should be finite for every finite x; for all
// other x it is right.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
	} else {
		e := float32(math.Exp(-float64(x[i])))
		ds := e / ((1 + e) * (1 + e))
	}
}

// dup-with-the-gate: dUp is multiplied by gate instead of SiLU(gate)
//
// Why: the gradient of up is dHidden ⊙ gate: the activation is left out, so W3's gradient and its share of dx are wrong.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.gate.Data)
	}
}
