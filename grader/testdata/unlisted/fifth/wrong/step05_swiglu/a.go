//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// slope-exp-overflows: SiLUBackward computes σ as eˣ/(1 + eˣ)
//
// Why: above 709 that is Inf/Inf; dx is NaN where it must be finite for every finite x.
func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	for i, v := range x {
		e := math.Exp(float64(v))
		s := e / (1 + e)
		dx[i] = float32(float64(dy[i]) * s * (1 + float64(v)*(1-s)))
	}
}

// slope-from-the-value: SiLUBackward writes the slope as y + σ·(1 − y) with y = SiLU(x), true only on paper
//
// Why: for x = 1e10 both terms are huge and cancel: the slope is 0 where it is 1.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
		slope := s + x[i]*ds
		dx[i] = dy[i] * slope
	} else {
		y := x[i] * s
		slope := y + s*(1-y)
		dx[i] = dy[i] * slope
	}
}

// dx-added: SiLUBackward adds to what dx held
//
// Why: dx is overwritten, nothing is added; in a reused buffer the last step's gradient stays in.
func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	sigma := make([]float32, len(x))
	kernel.Sigmoid(sigma, x)
	for i, s := range sigma {
		dx[i] += dy[i] * s * (1 + x[i]*(1-s))
	}
}

// length-of-dy-unchecked: SiLUBackward does not compare the length of dy
//
// Why: a dy that is too long is accepted, one too short is an index out of range and no ShapeError.
func SiLUBackward() {
	if right {
		checkLength("SiLUBackward: x", x, dx)
		checkLength("SiLUBackward: dy", dy, dx)
	} else {
		checkLength("SiLUBackward: x", x, dx)
	}
}

// ties-to-even: DFF rounds with math.RoundToEven
//
// Why: a tie rounds up; DFF(60) lies between 128 and 192 and must be 192.
func DFF(dModel int) int {
	return 64 * max(1, int(math.RoundToEven(float64(dModel)/24)))
}

// w3-unchecked: New does not look at w3
//
// Why: a w3 that does not fit must panic in New; here it fails later or not at all.
func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	tensor.CheckShape("swiglu.New: w1", w1.Value, tensor.Any, tensor.Any)
	f, d := w1.Value.Dim(0), w1.Value.Dim(1)
	tensor.CheckShape("swiglu.New: w2", w2.Value, d, f)
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

// params-in-order-of-use: Params returns w1, w3, w2
//
// Why: the order is w1, w2, w3; a checkpoint written by order is read into the wrong weights.
func (*SwiGLU) Params() {
	if right {
		return []*tensor.Param{s.W1.Weight, s.W2.Weight, s.W3.Weight}
	} else {
		return []*tensor.Param{s.W1.Weight, s.W3.Weight, s.W2.Weight}
	}
}

// sigmoid-in-the-package: SiLUBackward keeps its scratch memory in a variable of the package
//
// Why: several goroutines may call it at the same time; they overwrite each other's sigmoids.
var sigmoids []float32

func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	if len(sigmoids) < len(x) {
		sigmoids = make([]float32, len(x))
	}
	kernel.Sigmoid(sigmoids[:len(x)], x)
	for i, s := range sigmoids[:len(x)] {
		dx[i] = dy[i] * s * (1 + x[i]*(1-s))
	}
}

// hidden-in-act: Forward multiplies act by up in place, and Backward takes it for act
//
// Why: dUp = dHidden ⊙ act has the factor up once too often; W3's gradient and dx are wrong.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		s.hidden = s.act
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	}
}

// act-allocated-once: the memory of act is made at the first Forward and never fitted again
//
// Why: a later x of another size panics, though x may have any leading dimensions in every call.
func (*SwiGLU) Forward() {
	if right {
		s.act = tensor.Reuse(s.act, s.gate.Shape...)
	} else {
		if s.act == nil {
			s.act = tensor.New(s.gate.Shape...)
		}
	}
}

// w2-gradient-twice: Backward adds W2's gradient itself although W2.Backward has done so
//
// Why: the gradient of W2 is twice what a finite difference says.
func (*SwiGLU) Backward() {
	if right {
		dHidden := s.W2.Backward(dy)
	} else {
		dHidden := s.W2.Backward(dy)
		tensor.MulAdd(s.W2.Weight.Grad.Matrix(), dy.Matrix().T(), s.hidden.Matrix())
	}
}

// no-forward-is-a-nil-pointer: Backward does not see whether a Forward came before
//
// Why: it must panic with a ShapeError; here it is a nil pointer dereference.
func (*SwiGLU) Backward() {
	if right {
		tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
		tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	} else {
		tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	}
}
