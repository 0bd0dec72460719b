// Package swiglu is the feed-forward network of a Transformer block: two
// projections up, one of which gates the other, and one projection down.
//
// Letters: B batch, T time, D d_model, F d_ff; "…" stands for any leading
// dimensions, usually (B, T).
package swiglu

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// SiLU computes the sigmoid linear unit of every element:
//
//	dst[i] = x[i]·σ(x[i]),  σ(x) = 1/(1 + e⁻ˣ)
//
// It is finite for every finite x, however large. dst is overwritten and must
// not overlap x. It panics with a ShapeError if the lengths differ.
//
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2;
// Ramachandran et al., "Searching for Activation Functions", 2017, call it Swish.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	kernel.Sigmoid(dst, x)
	kernel.Mul(dst, dst, x)
}

// SiLUBackward computes the gradient of SiLU's input from that of its output:
//
//	dx[i] = dy[i]·SiLU'(x[i])
//
// dx is overwritten and must overlap neither x nor dy. It panics with a
// ShapeError if the lengths differ.
func SiLUBackward(dx, x, dy []float32) {
	// (1) σ' = σ·(1 − σ)
	// (2) By the product rule SiLU' = σ + x·σ', so SiLU'(x) = σ(x)·(1 + x·(1 − σ(x))).
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	kernel.Sigmoid(dx, x)
	for i, s := range dx { // s = σ(x[i])
		ds := s * (1 - s)    // (1)
		slope := s + x[i]*ds // (2)
		dx[i] = dy[i] * slope
	}
}

func checkLength(op string, x, like []float32) {
	if len(x) != len(like) {
		panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(like)}})
	}
}

// DFF returns the width F of the hidden layer for a model of width D: the
// multiple of 64 nearest to 8/3·D (a tie rounds up), and at least 64.
//
// Three matrices of 8/3·D columns have as many parameters as the two of 4·D
// columns that they replace: 3·8/3 = 2·4. Multiples of 64 suit the hardware.
//
// Source: Shazeer, "GLU Variants Improve Transformer", 2020, section 2.
func DFF(dModel int) int {
	// 8/3·D = 64·(D/24), and the integer nearest to D/24 is ⌊(D + 12)/24⌋.
	return 64 * max(1, (dModel+12)/24)
}

// SwiGLU is the gated feed-forward network y = (SiLU(x W1ᵀ) ⊙ x W3ᵀ) W2ᵀ.
// There are no biases.
//
// Source: Shazeer, "GLU Variants Improve Transformer", 2020, equation 6.
type SwiGLU struct {
	W1 *linear.Linear // (F, D), the gate
	W2 *linear.Linear // (D, F), back down
	W3 *linear.Linear // (F, D), the values that the gate lets through

	x             *tensor.Tensor // (…, D), what Forward was given
	gate, act, up *tensor.Tensor // (…, F): x W1ᵀ, SiLU of it, and x W3ᵀ
	hidden        *tensor.Tensor // (…, F): act ⊙ up
	dUp, dGate    *tensor.Tensor // (…, F), reused by every Backward
}

// New returns the network with the given weights: w1 and w3 (F, D), w2 (D, F).
// It panics with a ShapeError if they do not fit together.
func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	tensor.CheckShape("swiglu.New: w1", w1.Value, tensor.Any, tensor.Any)
	f, d := w1.Value.Dim(0), w1.Value.Dim(1)
	tensor.CheckShape("swiglu.New: w2", w2.Value, d, f)
	tensor.CheckShape("swiglu.New: w3", w3.Value, f, d)
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

// Params returns the three weights in the order w1, w2, w3.
func (s *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{s.W1.Weight, s.W2.Weight, s.W3.Weight}
}

// Forward computes
//
//	y = (SiLU(x W1ᵀ) ⊙ x W3ᵀ) W2ᵀ
//
// x and y are (…, D). Forward keeps x for Backward: the caller leaves it
// unchanged until then. y is valid until the next Forward. It panics with a
// ShapeError if the last dimension of x is not D.
func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	s.x = x
	s.gate = s.W1.Forward(x) // (…, F)
	s.up = s.W3.Forward(x)   // (…, F)

	s.act = tensor.Reuse(s.act, s.gate.Shape...)
	SiLU(s.act.Data, s.gate.Data)
	s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)

	return s.W2.Forward(s.hidden) // (…, D)
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It
// returns dx (…, D), adds to the gradients of the three weights, and belongs to
// the last Forward. dx is valid until the next Backward. It panics with a
// ShapeError if dy does not have the shape of y or no Forward came before.
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Forward was gate = x W1ᵀ, act = SiLU(gate), up = x W3ᵀ, hidden = act ⊙ up, y = hidden W2ᵀ.
	// (3) y = hidden W2ᵀ is a Linear:              dHidden = dy W2
	// (4) hidden = act ⊙ up is linear in up:       dUp     = dHidden ⊙ act
	//     and linear in act:                       dAct    = dHidden ⊙ up
	// (5) act is an element-wise function of gate: dGate   = dAct ⊙ SiLU'(gate)
	// (6) gate and up are Linears of x, whose Backward adds to the gradients of W1 and W3.
	// (7) x is used twice, so its gradient is a sum: dx    = dGate W1 + dUp W3
	tensor.CheckShape("SwiGLU.Backward: x of Forward", s.x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	tensor.CheckShape("SwiGLU.Backward: dy", dy, s.x.Shape...)
	dHidden := s.W2.Backward(dy) // (3), and W2's gradient

	s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data) // (4)

	dAct := dHidden                                // dHidden is used up: its memory takes dAct
	kernel.Mul(dAct.Data, dHidden.Data, s.up.Data) // (4)

	s.dGate = tensor.Reuse(s.dGate, dAct.Shape...)
	SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data) // (5)

	dx := s.W1.Backward(s.dGate)                            // (6) and (7)
	kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data) // (6) and (7)
	return dx
}
