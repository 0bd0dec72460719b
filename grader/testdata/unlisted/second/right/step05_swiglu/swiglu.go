//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sigmoid-by-sign: SiLU and its derivative in float64, each sign with its own form of the sigmoid
//
// Why: e to a number that is not positive never overflows.
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
		s := sigmoid(float64(v))
		dx[i] = float32(float64(dy[i]) * s * (1 + float64(v)*sigmoid(-float64(v))))
	}
}

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// width-by-search: DFF tries the multiples of 64 one after the other
//
// Why: the nearest is found by comparing distances; of two equal ones the larger is taken.
func DFF(dModel int) int {
	best := 64
	for f := 128; f <= 3*dModel+64; f += 64 {
		if distance(3*f, 8*dModel) <= distance(3*best, 8*dModel) {
			best = f
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// own-memory-everywhere: Backward takes new memory for everything and W3 comes before W1
//
// Why: the order of the two Linears does not matter, and nothing is computed in place.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy).Clone()
	dUp, dAct, dGate := tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...), tensor.New(dHidden.Shape...)
	for i, d := range dHidden.Data {
		dUp.Data[i] = d * s.act.Data[i]
		dAct.Data[i] = d * s.up.Data[i]
	}
	SiLUBackward(dGate.Data, s.gate.Data, dAct.Data)
	dx := s.W3.Backward(dUp).Clone()
	for i, d := range s.W1.Backward(dGate).Data {
		dx.Data[i] += d
	}
	return dx
}
