//go:build unlisted

package swiglu

import "math"

// slope-at-act: SiLU' is taken at SiLU(gate) and not at gate
//
// Why: dGate is wrong; a finite difference of x and W1 differs.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}

// dup-too-late: dUp is computed from dHidden after its memory took dAct
//
// Why: dUp has the factor up too many; W3's gradient and dx differ from a finite difference.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	}
}

// hidden-over-act: hidden takes the memory of act, which Backward needs
//
// Why: dUp is dHidden times hidden; W3's gradient and dx are wrong.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		s.hidden = s.act
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	}
}

// silu-in-place-of-the-gate: SiLU overwrites the gate, and Backward takes its slope there
//
// Why: gate is what SiLU' is taken at; the gradient through the gate is wrong while y is right.
func (*SwiGLU) Forward() {
	if right {
		SiLU(s.act.Data, s.gate.Data)
	} else {
		SiLU(s.act.Data, s.gate.Data)
		copy(s.gate.Data, s.act.Data)
	}
}

// sigmoid-by-e-to-x: SiLU is x·eˣ/(1 + eˣ)
//
// Why: eˣ overflows for large x and Inf/Inf is NaN; the contract wants SiLU(1e30) = 1e30.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		e := math.Exp(float64(v))
		dst[i] = float32(float64(v) * e / (1 + e))
	}
}

// slope-by-exponentials: SiLU' with σ' = e⁻ˣ/(1 + e⁻ˣ)²
//
// Why: for x below −400 the square overflows and so does e⁻ˣ soon after: NaN where the slope is 0.
func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		e := math.Exp(-float64(v))
		dx[i] = dy[i] * float32(1/(1+e)+float64(v)*e/((1+e)*(1+e)))
	}
}

// dff-rounds-up: DFF takes the next multiple of 64 above 8/3·D
//
// Why: the nearest one is promised: DFF(512) must be 1344 and comes out as 1408.
func DFF(dModel int) int {
	return 64 * max(1, (8*dModel+3*64-1)/(3*64))
}

// dff-of-a-rounded-width: DFF rounds 8/3·D down to an integer before it rounds to a multiple of 64, a tie down
//
// Why: DFF(36) must be 128, a tie rounds up; here it is 64.
func DFF(dModel int) int {
	return 64 * max(1, (8*dModel/3+31)/64)
}

// silubackward-adds: SiLUBackward adds to dx
//
// Why: dx is overwritten by contract; with old contents the result is wrong.
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		sigma := make([]float32, len(x))
		kernel.Sigmoid(sigma, x)
		for i, s := range sigma {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] += dy[i] * slope
		}
	}
}

// dy-may-be-longer: SiLUBackward does not look at the length of dy
//
// Why: a dy that is longer than dx must panic with a ShapeError, and a shorter one must not fail with an index.
func SiLUBackward() {
	if right {
		checkLength("SiLUBackward: dy", dy, dx)
	} else {
	}
}

// w2-not-checked: New does not look at w2
//
// Why: a w2 of (F, D) in place of (D, F) must panic in New.
func New() {
	if right {
		tensor.CheckShape("swiglu.New: w2", w2.Value, d, f)
	} else {
		tensor.CheckShape("swiglu.New: w2", w2.Value, tensor.Any, tensor.Any)
	}
}

// dy-any-rows: Backward checks only the width of dy
//
// Why: dy of (T, B, D) or (B·T, D) for y of (B, T, D) is a ShapeError by contract.
func (*SwiGLU) Backward() {
	if right {
		tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
		dHidden := s.W2.Backward(dy)
	} else {
		tensor.CheckShape("SwiGLU.Backward: dy", dy, tensor.Lead, s.x.Dim(-1))
		dHidden := s.W2.Backward(dy.Reshape(s.x.Shape...))
	}
}

// second-branch-into-dy: the two parts of dx are added in the caller's dy
//
// Why: dy must not change, and dx is the caller's memory.
func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
		return dx
	} else {
		kernel.Add(dy.Data, s.W1.Backward(s.dGate).Data, s.W3.Backward(s.dUp).Data)
		return dy
	}
}
