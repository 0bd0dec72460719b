//go:build unlisted

package swiglu

import (
	"math"
	"sync"
)

// silu-in-float64: one loop each for SiLU and its derivative, in float64
//
// Why: e⁻ˣ that overflows gives σ = 0, which is right; and 1 − σ(x) = σ(−x) is finite too.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		dst[i] = float32(float64(v) / (1 + math.Exp(-float64(v))))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i := range dx {
		v := float64(x[i])
		s, rest := 1/(1+math.Exp(-v)), 1/(1+math.Exp(v))
		dx[i] = float32(float64(dy[i]) * (s + v*s*rest))
	}
}

// dff-by-search: looks for the nearest multiple among all
//
// Why: distances are compared in thirds, whole numbers, and the later one wins a tie.
func DFF(dModel int) int {
	best := 64
	for f := 64; 3*f <= 8*dModel+3*64; f += 64 {
		if abs(3*f-8*dModel) <= abs(3*best-8*dModel) {
			best = f
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// closure-with-clones: Forward copies what the Linears return and leaves the backward pass behind as a function, all in loops and new memory
//
// Why: the Linears' own tensors are read at once and copied; the formulas are those of the comment.
type SwiGLU struct {
	W1 *linear.Linear
	W2 *linear.Linear
	W3 *linear.Linear

	back func(dy *tensor.Tensor) *tensor.Tensor
}

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	up := s.W3.Forward(x).Clone()
	gate := s.W1.Forward(x).Clone()
	act, hidden := tensor.New(gate.Shape...), tensor.New(gate.Shape...)
	SiLU(act.Data, gate.Data)
	for i, a := range act.Data {
		hidden.Data[i] = a * up.Data[i]
	}
	y := s.W2.Forward(hidden).Clone()
	s.back = func(dy *tensor.Tensor) *tensor.Tensor {
		tensor.CheckShape("SwiGLU.Backward: dy", dy, x.Shape...)
		dHidden := s.W2.Backward(dy)
		dGate, dUp, slope := tensor.New(gate.Shape...), tensor.New(gate.Shape...), make([]float32, gate.Len())
		ones := tensor.New(gate.Shape...)
		ones.Fill(1)
		SiLUBackward(slope, gate.Data, ones.Data)
		for i, d := range dHidden.Data {
			dUp.Data[i] = d * act.Data[i]
			dGate.Data[i] = d * up.Data[i] * slope[i]
		}
		dx := s.W3.Backward(dUp).Clone()
		for i, d := range s.W1.Backward(dGate).Data {
			dx.Data[i] += d
		}
		return dx
	}
	return y
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if s.back == nil {
		panic(tensor.ShapeError{Op: "SwiGLU.Backward before Forward"})
	}
	return s.back(dy)
}

// branches-in-goroutines: the two branches of Backward run at the same time
//
// Why: W1 and W3 are two Linears with gradients of their own; the sum waits for both.
func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
		return dx
	} else {
		var one, three *tensor.Tensor
		var group sync.WaitGroup
		group.Go(func() { one = s.W1.Backward(s.dGate) })
		group.Go(func() { three = s.W3.Backward(s.dUp) })
		group.Wait()
		dx := one.Clone()
		for i, v := range three.Data {
			dx.Data[i] += v
		}
		return dx
	}
}
