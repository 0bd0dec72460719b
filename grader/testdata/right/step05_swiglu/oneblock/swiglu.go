// Package swiglu keeps all that lies between in one block of memory, uses plain
// float32 with two branches for the sigmoid, and takes SiLU' apart into
// σ + x·σ·σ(−x).
package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

type number interface{ ~float32 | ~float64 }

// sigmoid never takes the exponential of a positive number.
func sigmoid[T number](x T) T {
	e := T(math.Exp(-math.Abs(float64(x))))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func SiLU(dst, x []float32) {
	same("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = v * sigmoid(v)
	}
}

func SiLUBackward(dx, x, dy []float32) {
	same("SiLUBackward: x", x, dx)
	same("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		s := sigmoid(v)
		dx[i] = dy[i]*s + dy[i]*(v*s*sigmoid(-v))
	}
}

func same(op string, x, dst []float32) {
	if len(x) != len(dst) {
		panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(dst)}})
	}
}

func DFF(dModel int) int {
	best := 64
	for n := 64; n <= 3*dModel+64; n += 64 { // |8·d − 3·n| is smallest, of equals the larger
		if far(8*dModel-3*n) <= far(8*dModel-3*best) {
			best = n
		}
	}
	return best
}

func far(x int) int { return max(x, -x) }

type SwiGLU struct {
	W1, W2, W3 *linear.Linear

	x, dx *tensor.Tensor
	block []float32 // gate, up, hidden, dGate, dUp, dSiLU: F numbers a row each
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

// part returns the i-th part of the block as a tensor (…, F).
func (s *SwiGLU) part(i int) *tensor.Tensor {
	f := s.W1.Weight.Value.Dim(0)
	size := s.x.Rows() * f
	return tensor.From(s.block[i*size:(i+1)*size:(i+1)*size], append(append([]int{}, s.x.Lead(1)...), f)...)
}

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	f, d := s.W1.Weight.Value.Dim(0), s.W1.Weight.Value.Dim(1)
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, d)
	s.x, s.block = x, make([]float32, 6*x.Rows()*f)
	gate, up, hidden := s.part(0), s.part(1), s.part(2)
	copy(up.Data, s.W3.Forward(x).Data)
	copy(gate.Data, s.W1.Forward(x).Data)
	SiLU(hidden.Data, gate.Data)
	for i := range hidden.Data {
		hidden.Data[i] *= up.Data[i]
	}
	return s.W2.Forward(hidden)
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	gate, up, dGate, dUp, dSiLU := s.part(0), s.part(1), s.part(3), s.part(4), s.part(5)
	SiLU(dUp.Data, gate.Data)
	for i, h := range s.W2.Backward(dy).Data {
		dUp.Data[i] *= h
		dSiLU.Data[i] = up.Data[i] * h
	}
	SiLUBackward(dGate.Data, gate.Data, dSiLU.Data)
	s.dx = tensor.Reuse(s.dx, s.x.Shape...)
	copy(s.dx.Data, s.W1.Backward(dGate).Data)
	for i, v := range s.W3.Backward(dUp).Data {
		s.dx.Data[i] += v
	}
	return s.dx
}
