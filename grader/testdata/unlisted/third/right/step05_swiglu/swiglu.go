//go:build unlisted

package swiglu

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// quotient-and-search: SiLU is the quotient x/(1 + e⁻ˣ) in float64, and DFF searches the nearest multiple
//
// Why: e⁻ˣ may be Inf in float64, and then the quotient is 0 and σ too, so nothing becomes NaN; three times the distance
// to 8/3·D is a whole number, and of two equal ones the later is taken.
func SiLU(dst, x []float32) {
	if len(x) != len(dst) {
		panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
	}
	for i := len(x) - 1; i >= 0; i-- {
		dst[i] = float32(float64(x[i]) / (1 + math.Exp(-float64(x[i]))))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	for _, other := range [][]float32{x, dy} {
		if len(other) != len(dx) {
			panic(tensor.ShapeError{Op: "SiLUBackward: x and dy", Got: []int{len(other)}, Want: []int{len(dx)}})
		}
	}
	for i := range dx {
		v := float64(x[i])
		s := 1 / (1 + math.Exp(-v))
		dx[i] = float32(float64(dy[i]) * (s + v*s*(1/(1+math.Exp(v)))))
	}
}

func DFF(dModel int) int {
	best, nearest := 64, math.MaxInt
	for f := 64; f <= 3*dModel+64; f += 64 {
		distance := 3*f - 8*dModel
		if distance < 0 {
			distance = -distance
		}
		if distance <= nearest {
			best, nearest = f, distance
		}
	}
	return best
}

// other-way-round: W3 comes before W1 in both directions, and the sum of dx is in memory of its own
//
// Why: the two ways through the network are independent, and dx is a sum of two; what lies between is element by element.
func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	s.up = s.W3.Forward(x)
	s.gate = s.W1.Forward(x)
	s.x = x
	s.act = tensor.Reuse(s.act, s.gate.Shape...)
	s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	for n := s.gate.Rows() - 1; n >= 0; n-- {
		SiLU(s.act.Row(n), s.gate.Row(n))
		for f, a := range s.act.Row(n) {
			s.hidden.Row(n)[f] = s.up.Row(n)[f] * a
		}
	}
	return s.W2.Forward(s.hidden)
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy)
	s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	s.dGate = tensor.Reuse(s.dGate, dHidden.Shape...)
	for i, d := range dHidden.Data {
		s.dUp.Data[i] = s.act.Data[i] * d
	}
	SiLUBackward(s.dGate.Data, s.gate.Data, dHidden.Data)
	for i, u := range s.up.Data {
		s.dGate.Data[i] *= u
	}
	sum := s.W3.Backward(s.dUp).Clone()
	for i, d := range s.W1.Backward(s.dGate).Data {
		sum.Data[i] += d
	}
	return sum
}

// act-worked-out-again: SiLU(gate) is not kept: Backward computes SiLU and its slope from them
//
// Why: SiLU' is σ + SiLU·(1 − σ), all of it in float64 from the sigmoid that never takes the exponential of a positive number.
func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	s.x = x
	s.gate, s.up = s.W1.Forward(x), s.W3.Forward(x)
	s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	for i, v := range s.gate.Data {
		s.hidden.Data[i] = float32(float64(v) * logistic(float64(v)) * float64(s.up.Data[i]))
	}
	return s.W2.Forward(s.hidden)
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := slices.Clone(s.W2.Backward(dy).Data)
	s.dUp = tensor.Reuse(s.dUp, s.gate.Shape...)
	s.dGate = tensor.Reuse(s.dGate, s.gate.Shape...)
	for i, d := range dHidden {
		v := float64(s.gate.Data[i])
		sigma := logistic(v)
		s.dUp.Data[i] = float32(float64(d) * v * sigma)
		s.dGate.Data[i] = float32(float64(d) * float64(s.up.Data[i]) * (sigma + v*sigma*(1-sigma)))
	}
	dx, other := s.W1.Backward(s.dGate), s.W3.Backward(s.dUp)
	for i := range dx.Data {
		dx.Data[i] += other.Data[i]
	}
	return dx
}

func logistic(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
