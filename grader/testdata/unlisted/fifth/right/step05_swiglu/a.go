//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// sigmoid-by-sign: SiLU and its slope in float64, with e^(−|x|) on either side of 0
//
// Why: the exponential never overflows, and both formulas are the sigmoid.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = float32(float64(v) * sigmoid(float64(v)))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		s, other := sigmoid(float64(v)), sigmoid(-float64(v)) // other = 1 − s
		dx[i] = float32(float64(dy[i]) * (s + float64(v)*(s*other)))
	}
}

func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// act-recomputed: Backward computes SiLU(gate) again, in new memory, and multiplies nothing in place
//
// Why: gate is still that of the last Forward, so act is too; fresh memory is valid long enough.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy)
	act, dAct := tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...)
	dUp, dGate := tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...)
	SiLU(act.Data, s.gate.Data)
	for i, d := range dHidden.Data {
		dAct.Data[i], dUp.Data[i] = d*s.up.Data[i], d*act.Data[i]
	}
	SiLUBackward(dGate.Data, s.gate.Data, dAct.Data)
	dx := s.W3.Backward(dUp).Clone()
	kernel.Add(dx.Data, dx.Data, s.W1.Backward(dGate).Data)
	return dx
}
