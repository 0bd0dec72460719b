//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// silu-by-cases: SiLU and its derivative in float64, with a case for either sign
//
// Why: Right: no exponential of a positive number is taken, so nothing overflows.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = float32(float64(v) * sigmoidOf(float64(v)))
	}
}

func sigmoidOf(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		s := sigmoidOf(float64(v))
		dx[i] = float32(float64(dy[i]) * s * (1 + float64(v)*sigmoidOf(-float64(v))))
	}
}

// dff-by-search: the nearest multiple of 64 is looked for
//
// Why: Right: of two that are equally near the larger one wins.
func DFF(dModel int) int {
	best := 64
	for f := 64; f <= 3*dModel+64; f += 64 {
		if distance(3*f, 8*dModel) <= distance(3*best, 8*dModel) {
			best = f
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// computed-again: Backward computes SiLU(gate) again and allocates everything anew
//
// Why: Right: only x, gate, up and hidden are kept from Forward.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy)
	act, dUp, dAct, dGate := tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...)
	SiLU(act.Data, s.gate.Data)
	for i, d := range dHidden.Data {
		dUp.Data[i] = d * act.Data[i]
		dAct.Data[i] = d * s.up.Data[i]
	}
	SiLUBackward(dGate.Data, s.gate.Data, dAct.Data)
	fromUp := s.W3.Backward(dUp).Clone()
	fromGate := s.W1.Backward(dGate)
	dx := tensor.New(s.x.Shape...)
	for i := range dx.Data {
		dx.Data[i] = fromUp.Data[i] + fromGate.Data[i]
	}
	return dx
}
