// Package lora adapts a trained model to a task with a few parameters more: beside a
// frozen weight stands a product of two narrow matrices, which alone is trained.
//
// Letters: I in, O out, r rank; B batch, T time, V vocabulary; N is all leading
// dimensions together, and "…" stands for them, usually (B, T).
package lora

import "github.com/stubformer/stubformer/reference/tensor"

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

	// Yours: what Backward and Unmerge need to remember, and the tensors that are used again.
}

// New returns the layer with the weight (O, I) and the adapter a (r, I), b (O, r). It
// panics with a ShapeError if weight is no matrix, r is 0, or a or b do not fit.
func New(weight, a, b *tensor.Param, alpha float64) *Linear {
	panic(tensor.TODO("step17: New"))
}

// Params returns what is trained: A, then B.
func (l *Linear) Params() []*tensor.Param {
	panic(tensor.TODO("step17: Linear.Params"))
}

// Forward returns y = x·W₀ᵀ + α/r·(x·Aᵀ)·Bᵀ for every row of x. It never makes the
// product of B and A, which is as large as W₀. x is (…, I) and y is (…, O). Forward keeps
// x for Backward: the caller leaves it unchanged until then. y is valid until the next
// Forward. It panics with a ShapeError if the last dimension of x is not I.
//
// Of a merged layer y = x·Weightᵀ, one product, and nothing is kept for Backward.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step17: Linear.Forward"))
}

// Backward takes dy (…, O), the gradient of the loss with respect to y. It returns dx
// (…, I), adds to the gradients of A and B, leaves that of W₀ as it is, and belongs to
// the last Forward. dx is valid until the next Backward. It panics with a ShapeError if
// dy does not have the shape of y, no Forward came before, or the last one was that of a
// merged layer.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step17: Linear.Backward"))
}

// Delta returns what the adapter adds to the weight, α/r·B·A, as a tensor (O, I) of its
// own.
func (l *Linear) Delta() *tensor.Tensor {
	panic(tensor.TODO("step17: Linear.Delta"))
}

// Merge adds Delta to the weight, so that the adapter costs nothing any more. Of a layer
// that is merged already it changes nothing.
func (l *Linear) Merge() {
	panic(tensor.TODO("step17: Linear.Merge"))
}

// Unmerge makes the weight what it was before Merge, bit for bit: to subtract Delta again
// would leave roundings behind. Of a layer that is not merged it changes nothing.
func (l *Linear) Unmerge() {
	panic(tensor.TODO("step17: Linear.Unmerge"))
}
