// Package lora adapts a trained model to a task with a few parameters more: beside a
// frozen weight stands a product of two narrow matrices, which alone is trained.
//
// Letters: I in, O out, r rank; B batch, T time, V vocabulary; N is all leading
// dimensions together, and "…" stands for them, usually (B, T). The numbers at the lines
// are those of the lesson's derivation.
package lora

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Linear is a layer of step 02 with an adapter:
//
//	y = x·W₀ᵀ + α/r·(x·Aᵀ)·Bᵀ
//
// W₀ is frozen: no method changes its gradient, and none but Merge, Unmerge and Load its
// value. Alpha is read in every call. Training, the owner of the parameters and Load may
// change their numbers, or put other tensors in their place.
//
// Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021,
// section 4.1.
type Linear struct {
	Weight *tensor.Param // W₀, (O, I)
	A      *tensor.Param // (r, I)
	B      *tensor.Param // (O, r)
	Alpha  float64       // α

	base *tensor.Tensor // (O, I), W₀ as it was before Merge; nil: not merged

	x  *tensor.Tensor // (…, I), what Forward was given
	u  *tensor.Tensor // (…, r), α/r·x·Aᵀ
	y  *tensor.Tensor // (…, O)
	du *tensor.Tensor // (…, r)
	dx *tensor.Tensor // (…, I)
}

// New returns the layer with the weight (O, I) and the adapter a (r, I), b (O, r). It
// panics with a ShapeError if weight is no matrix, r is 0, or a or b do not fit.
func New(weight, a, b *tensor.Param, alpha float64) *Linear {
	tensor.CheckShape("lora.New: weight", weight.Value, tensor.Any, tensor.Any)
	tensor.CheckShape("lora.New: a", a.Value, tensor.Any, weight.Value.Dim(1))
	if a.Value.Dim(0) == 0 {
		panic(tensor.ShapeError{Op: "lora.New: rank", Got: []int{0}, Want: []int{1}})
	}
	tensor.CheckShape("lora.New: b", b.Value, weight.Value.Dim(0), a.Value.Dim(0))
	return &Linear{Weight: weight, A: a, B: b, Alpha: alpha}
}

// Params returns what is trained: A, then B.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.A, l.B} }

// scale returns α/r.
func (l *Linear) scale() float32 { return float32(l.Alpha / float64(l.A.Value.Dim(0))) }

// Forward returns y = x·W₀ᵀ + α/r·(x·Aᵀ)·Bᵀ for every row of x. It never makes the
// product of B and A, which is as large as W₀. x is (…, I) and y is (…, O). Forward keeps
// x for Backward: the caller leaves it unchanged until then. y is valid until the next
// Forward. It panics with a ShapeError if the last dimension of x is not I.
//
// Of a merged layer y = x·Weightᵀ, one product, and nothing is kept for Backward.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W, A, B := l.Weight.Value, l.A.Value, l.B.Value
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, W.Dim(1))

	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T()) // (N, I)·(I, O) = (N, O)
	if l.base != nil {
		l.x = nil
		return l.y
	}
	l.x = x
	l.u = tensor.ReuseLead(l.u, x.Lead(1), A.Dim(0))
	tensor.Mul(l.u.Matrix(), x.Matrix(), A.Matrix().T()) // (N, I)·(I, r) = (N, r)
	kernel.Scale(l.scale(), l.u.Data)
	tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T()) // (N, r)·(r, O) = (N, O)
	return l.y
}

// Backward takes dy (…, O), the gradient of the loss with respect to y. It returns dx
// (…, I), adds to the gradients of A and B, leaves that of W₀ as it is, and belongs to
// the last Forward. dx is valid until the next Backward. It panics with a ShapeError if
// dy does not have the shape of y, no Forward came before, or the last one was that of a
// merged layer.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// With s = α/r and u = s·x·Aᵀ, Forward was y = x·W₀ᵀ + u·Bᵀ. Both gradients are added.
	// (1) y is linear in B:                            dB = dyᵀ·u
	// (2) y is linear in u, and u has the factor s:    du = s·dy·B
	// (3) x·Aᵀ is linear in A:                         dA = duᵀ·x
	// (4) x was read twice:                            dx = dy·W₀ + du·A
	// (5) W₀ is a constant and has no gradient.
	W, A, B := l.Weight.Value, l.A, l.B
	tensor.CheckShape("lora.Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.y.Shape...)

	l.du = tensor.Reuse(l.du, l.u.Shape...)
	tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix()) // (1) (O, N)·(N, r) = (O, r)
	tensor.Mul(l.du.Matrix(), dy.Matrix(), B.Value.Matrix())      // (2) (N, O)·(O, r) = (N, r)
	kernel.Scale(l.scale(), l.du.Data)
	tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix()) // (3) (r, N)·(N, I) = (r, I)

	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix()) // (4) (N, O)·(O, I) = (N, I)
	tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	return l.dx
}

// Delta returns what the adapter adds to the weight, α/r·B·A, as a tensor (O, I) of its
// own.
func (l *Linear) Delta() *tensor.Tensor {
	delta := tensor.New(l.Weight.Value.Shape...)
	tensor.Mul(delta.Matrix(), l.B.Value.Matrix(), l.A.Value.Matrix()) // (O, r)·(r, I) = (O, I)
	kernel.Scale(l.scale(), delta.Data)
	return delta
}

// Merge adds Delta to the weight, so that the adapter costs nothing any more. Of a layer
// that is merged already it changes nothing.
func (l *Linear) Merge() {
	if l.base != nil {
		return
	}
	W := l.Weight.Value
	l.base = W.Clone()
	kernel.Add(W.Data, W.Data, l.Delta().Data)
}

// Unmerge makes the weight what it was before Merge, bit for bit: to subtract Delta again
// would leave roundings behind. Of a layer that is not merged it changes nothing.
func (l *Linear) Unmerge() {
	if l.base == nil {
		return
	}
	copy(l.Weight.Value.Data, l.base.Data)
	l.base = nil
}
