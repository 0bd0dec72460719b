// Package swiglu has its sigmoid from the hyperbolic tangent and the derivative
// of SiLU from SiLU itself. Backward computes everything again.
package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

func sigmoid(x float32) float64 { return 0.5 + 0.5*math.Tanh(float64(x)/2) }

func silu(x float32) float64 { return float64(x) * sigmoid(x) }

// slope is σ + SiLU·(1 − σ).
func slope(x float32) float64 { return sigmoid(x) + silu(x)*sigmoid(-x) }

func SiLU(dst, x []float32) {
	if len(dst) != len(x) {
		panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
	}
	for i := range dst {
		dst[i] = float32(silu(x[i]))
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
		dx[i] = float32(float64(dy[i]) * slope(x[i]))
	}
}

func DFF(dModel int) int { return 64 * max(1, int(math.Floor(float64(dModel)/24+0.5))) }

type SwiGLU struct {
	W1, W2, W3 *linear.Linear

	x *tensor.Tensor
}

func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	tensor.CheckShape("swiglu.New: w1", w1.Value, tensor.Any, tensor.Any)
	f, d := w1.Value.Dim(0), w1.Value.Dim(1)
	tensor.CheckShape("swiglu.New: w2", w2.Value, d, f)
	tensor.CheckShape("swiglu.New: w3", w3.Value, f, d)
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

func (s *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{s.W1.Weight, s.W2.Weight, s.W3.Weight}
}

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	s.x = x
	gate, up := s.W1.Forward(x), s.W3.Forward(x)
	hidden := tensor.New(gate.Shape...)
	for i, g := range gate.Data {
		hidden.Data[i] = float32(silu(g) * float64(up.Data[i]))
	}
	return s.W2.Forward(hidden)
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d := s.W1.Weight.Value.Dim(1)
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, d)
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	gate, up := s.W1.Forward(s.x), s.W3.Forward(s.x)
	dHidden := s.W2.Backward(dy)
	dGate, dUp := tensor.New(gate.Shape...), tensor.New(gate.Shape...)
	for i, dh := range dHidden.Data {
		dGate.Data[i] = float32(float64(dh) * float64(up.Data[i]) * slope(gate.Data[i]))
		dUp.Data[i] = float32(float64(dh) * silu(gate.Data[i]))
	}
	dx := s.W3.Backward(dUp).Clone()
	for i, v := range s.W1.Backward(dGate).Data {
		dx.Data[i] += v
	}
	return dx
}
