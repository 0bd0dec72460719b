//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// slope-added: SiLUBackward adds to dx
//
// Why: dx should be overwritten; whatever it held before stays in the result.
func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		s := 1 / (1 + math.Exp(-float64(v)))
		dx[i] += dy[i] * float32(s*(1+float64(v)*(1-s)))
	}
}

// shorter-x-accepted: lengths are not compared
//
// Why: for an x shorter than dst there is no panic, and the end of dst keeps what it held.
func SiLU(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(float64(v) / (1 + math.Exp(-float64(v))))
	}
}

// d-act-before-d-up: dHidden's memory is overwritten with dAct before dUp is computed
//
// Why: dUp is dHidden ⊙ up ⊙ act, so W3's gradient and dx are wrong.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	}
}

// hidden-in-act: hidden is computed in the memory of act
//
// Why: Backward finds act ⊙ up where it needs act, and W3's gradient is wrong.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		s.hidden = s.act
	}
}

// w3-backward-twice: W3.Backward is called once for the gradient and once for dx
//
// Why: W3's gradient is twice what it should be.
func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
	} else {
		s.W3.Backward(s.dUp)
		dx := s.W1.Backward(s.dGate)
	}
}

// exp-over-one-plus-exp: SiLU is x·eˣ/(1 + eˣ)
//
// Why: for an x of a thousand both are infinite, and the result is NaN.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		e := math.Exp(float64(v))
		dst[i] = float32(float64(v) * e / (1 + e))
	}
}

// quick-gelu: sigmoid of 1.702·x in place of x
//
// Why: this is an approximation of GELU; value and derivative fit each other and are not those of SiLU.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	kernel.ScaleTo(dst, 1.702, x)
	kernel.Sigmoid(dst, dst)
	kernel.Mul(dst, dst, x)
}

func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
	} else {
		kernel.ScaleTo(dx, 1.702, x)
		kernel.Sigmoid(dx, dx)
	}
	if right {
		slope := s + x[i]*ds
	} else {
		slope := s + 1.702*x[i]*ds
	}
}

// slope-without-x: derivative is σ + σ·(1 − σ), without the factor x
//
// Why: SiLUBackward is wrong everywhere but at x = 1.
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := s + ds
	}
}

// dff-rounded-up: width is rounded up to a multiple of 64
//
// Why: DFF(512) is 1408 and not 1344.
func DFF(dModel int) int { return (8*dModel/3 + 63) / 64 * 64 }

// dff-without-least: width can be 0
//
// Why: DFF(8) is 0; it should be at least 64.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * ((dModel + 12) / 24)
	}
}

// slope-at-act: derivative of SiLU is taken at act and not at gate
//
// Why: dGate is wrong, and with it W1's gradient and dx.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}
