// Package swiglu is the feed-forward network of a Transformer block: two
// projections up, one of which gates the other, and one projection down.
// This is step 05; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, F d_ff; "…" stands for any leading
// dimensions, usually (B, T).
//
// Several goroutines may call the functions at the same time, and each a network of
// its own: keep nothing in variables of the package.
//
// Plain loops will do. The ones that take time are also in reference/kernel,
// vectorised: kernel.Sigmoid, kernel.Mul, kernel.Add.
package swiglu

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// SiLU computes the sigmoid linear unit of every element:
//
//	dst[i] = x[i]·σ(x[i]),  σ(x) = 1/(1 + e⁻ˣ)
//
// It is finite for every finite x, however large: SiLU(1e30) is 1e30 and
// SiLU(−1e30) is 0. dst is overwritten and must not overlap x. If the lengths
// differ it panics:
//
//	panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
//
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2;
// Ramachandran et al., "Searching for Activation Functions", 2017, call it Swish.
func SiLU(dst, x []float32) {
	panic(tensor.TODO("step05: SiLU"))
}

// SiLUBackward computes the gradient of SiLU's input from that of its output:
//
//	dx[i] = dy[i]·SiLU'(x[i]),  SiLU'(x) = σ(x)·(1 + x·(1 − σ(x)))
//
// It is finite for every finite x as well. dx is overwritten, nothing is added
// to what it held, and it must overlap neither x nor dy. It panics with a
// ShapeError if the lengths differ.
func SiLUBackward(dx, x, dy []float32) {
	panic(tensor.TODO("step05: SiLUBackward"))
}

// DFF returns the width F of the hidden layer for a model of width D: the
// multiple of 64 nearest to 8/3·D (a tie rounds up), and at least 64.
//
//	DFF(512) = 1344:  8/3·512 = 1365.3…, between 1344 = 21·64 and 1408 = 22·64
//	DFF(36)  = 128:   8/3·36 = 96, exactly between 64 and 128
//
// Three matrices of 8/3·D columns have as many parameters as the two of 4·D
// columns that they replace: 3·8/3 = 2·4. Multiples of 64 suit the hardware.
//
// Source: Shazeer, "GLU Variants Improve Transformer", 2020, section 2.
func DFF(dModel int) int {
	panic(tensor.TODO("step05: DFF"))
}

// SwiGLU is the gated feed-forward network y = (SiLU(x W1ᵀ) ⊙ x W3ᵀ) W2ᵀ.
// ⊙ multiplies element by element. There are no biases.
//
// Source: Shazeer, "GLU Variants Improve Transformer", 2020, equation 6.
type SwiGLU struct {
	W1 *linear.Linear // (F, D), the gate
	W2 *linear.Linear // (D, F), back down
	W3 *linear.Linear // (F, D), the values that the gate lets through

	// Yours: what Forward was given and what it computed on the way, because
	// Backward needs it, and the tensors that are used again in every call.
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
//	gate   = x W1ᵀ               (…, F)
//	up     = x W3ᵀ               (…, F)
//	hidden = SiLU(gate) ⊙ up     (…, F)
//	y      = hidden W2ᵀ          (…, D)
//
// x and y are (…, D). The three products are the Forward of W1, W3 and W2. Take
// the memory of what lies between from tensor.Reuse. Forward keeps x for
// Backward: the caller leaves it unchanged until then. y is valid until the
// next Forward. x is not changed.
//
// It panics with a ShapeError if the last dimension of x is not D:
// tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1)).
func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step05: SwiGLU.Forward"))
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It
// returns dx (…, D), adds to the gradients of the three weights, and belongs to
// the last Forward:
//
//	dHidden = dy W2
//	dUp     = dHidden ⊙ SiLU(gate)
//	dGate   = dHidden ⊙ up ⊙ SiLU'(gate)
//	dx      = dGate W1 + dUp W3
//
// Each product with a weight is the Backward of that Linear, which also adds
// the weight's gradient. dx is valid until the next Backward. dy is not changed.
//
// It panics with a ShapeError if no Forward came before or dy does not have the
// shape of y. tensor.CheckShape refuses a nil tensor, so check the x that Forward
// kept first, and only then ask for its shape:
//
//	tensor.CheckShape("SwiGLU.Backward: x of Forward", x, tensor.Lead, D)
//	tensor.CheckShape("SwiGLU.Backward: dy", dy, …)
func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step05: SwiGLU.Backward"))
}
