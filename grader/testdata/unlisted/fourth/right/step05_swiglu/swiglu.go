//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// scalar-functions-in-float64: the activation element by element in float64, everything new in every call, dx summed anew
//
// Why: the exponential is only ever taken of a negative number, and Backward computes SiLU(gate) again from the gate.
func SiLU(dst, x []float32) {
	if len(dst) != len(x) {
		panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
	}
	for i := len(x) - 1; i >= 0; i-- {
		dst[i] = float32(float64(x[i]) * logistic(float64(x[i])))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	if len(dx) != len(x) {
		panic(tensor.ShapeError{Op: "SiLUBackward: x", Got: []int{len(x)}, Want: []int{len(dx)}})
	}
	if len(dx) != len(dy) {
		panic(tensor.ShapeError{Op: "SiLUBackward: dy", Got: []int{len(dy)}, Want: []int{len(dx)}})
	}
	for i := range dx {
		v := float64(x[i])
		dx[i] = float32(float64(dy[i]) * (logistic(v) * (1 + v*logistic(-v))))
	}
}

func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	s.up, s.gate, s.x = s.W3.Forward(x), s.W1.Forward(x), x
	hidden := tensor.New(s.gate.Shape...)
	SiLU(hidden.Data, s.gate.Data)
	for i, u := range s.up.Data {
		hidden.Data[i] *= u
	}
	return s.W2.Forward(hidden).Clone()
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy)
	dUp, dGate, dAct := tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...)
	SiLU(dUp.Data, s.gate.Data)
	for i, d := range dHidden.Data {
		dUp.Data[i] *= d
		dAct.Data[i] = d * s.up.Data[i]
	}
	SiLUBackward(dGate.Data, s.gate.Data, dAct.Data)
	dx := s.W3.Backward(dUp).Clone()
	for i, d := range s.W1.Backward(dGate).Data {
		dx.Data[i] += d
	}
	return dx
}

func DFF(dModel int) int {
	best, width := 64, 64
	for abs(3*width-8*dModel) <= abs(3*best-8*dModel) {
		best, width = width, width+64
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// products-without-linear: the products are written out with tensor.Mul, and a second Linear is never asked
//
// Why: the formulas are those of the Linears; dx is one product added to the other, in memory of its own.
type SwiGLU struct {
	W1 *linear.Linear // (F, D), the gate
	W2 *linear.Linear // (D, F), back down
	W3 *linear.Linear // (F, D), the values that the gate lets through

	x                       *tensor.Tensor // (…, D), what Forward was given
	gate, up, hidden, slope *tensor.Tensor // (N, F)
}

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	W1, W2, W3 := s.W1.Weight.Value, s.W2.Weight.Value, s.W3.Weight.Value
	f, d := W1.Dim(0), W1.Dim(1)
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, d)
	s.x = x
	s.gate, s.up, s.hidden = tensor.New(x.Rows(), f), tensor.New(x.Rows(), f), tensor.New(x.Rows(), f)
	tensor.Mul(s.gate.Matrix().T(), W1.Matrix(), x.Matrix().T())
	tensor.Mul(s.up.Matrix(), x.Matrix(), W3.Matrix().T())
	SiLU(s.hidden.Data, s.gate.Data)
	for i := range s.hidden.Data {
		s.hidden.Data[i] *= s.up.Data[i]
	}
	y := tensor.New(x.Shape...)
	tensor.Mul(y.Matrix(), s.hidden.Matrix(), W2.Matrix().T())
	return y
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W1, W2, W3 := s.W1.Weight, s.W2.Weight, s.W3.Weight
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, W1.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden, dUp, dGate := tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...)
	tensor.Mul(dHidden.Matrix(), dy.Matrix(), W2.Value.Matrix())
	tensor.MulAdd(W2.Grad.Matrix(), dy.Matrix().T(), s.hidden.Matrix())

	SiLU(dUp.Data, s.gate.Data)
	SiLUBackward(dGate.Data, s.gate.Data, s.up.Data)
	for i, d := range dHidden.Data {
		dUp.Data[i] *= d
		dGate.Data[i] *= d
	}
	tensor.MulAdd(W3.Grad.Matrix(), dUp.Matrix().T(), s.x.Matrix())
	tensor.MulAdd(W1.Grad.Matrix(), dGate.Matrix().T(), s.x.Matrix())
	dx := tensor.New(s.x.Shape...)
	tensor.Mul(dx.Matrix(), dUp.Matrix(), W3.Value.Matrix())
	tensor.MulAdd(dx.Matrix(), dGate.Matrix(), W1.Value.Matrix())
	return dx
}
