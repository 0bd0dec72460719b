//go:build unlisted

package swiglu

import "math"

// silu-by-tanh: σ(x) = ½·(1 + tanh(x/2)) in float64, for the value and the slope
//
// Why: the same function; tanh does not overflow, and for x → −∞ the float64 value is x·0.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = float32(float64(v) * logistic(float64(v)))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		s, other := logistic(float64(v)), logistic(-float64(v))
		dx[i] = float32(float64(dy[i]) * s * (1 + float64(v)*other))
	}
}

func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 0.5 * (1 + math.Tanh(x/2))
}

// backward-recomputes: Backward computes act again from gate, everything in fresh memory
//
// Why: gate and up still hold what the last Forward left there; the same values.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy).Clone()
	act, dUp, dGate, dAct := tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...)
	SiLU(act.Data, s.gate.Data)
	for i, d := range dHidden.Data {
		dUp.Data[i] = d * act.Data[i]
		dAct.Data[i] = d * s.up.Data[i]
	}
	SiLUBackward(dGate.Data, s.gate.Data, dAct.Data)
	dx := s.W3.Backward(dUp).Clone()
	kernel.Add(dx.Data, dx.Data, s.W1.Backward(dGate).Data)
	return dx
}
