//go:build unlisted

package linear

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// y-shape-kept: y is taken afresh only when the number of rows changes
//
// Why: after x (2, 3, in) an x (3, 2, in) or (6, in) gets a y of shape (2, 3, out); the leading dimensions of y are those of x.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if l.y == nil || l.y.Rows() != x.Rows() {
			l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
		}
	}
}

// dx-added: dx is added to what the reused memory holds
//
// Why: the first Backward is right, the second returns the sum of both.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// one-buffer-for-y-and-dx: y and dx lie in the same memory
//
// Why: y is valid until the next Forward, and Backward overwrites it.
type Linear struct {
	Weight *tensor.Param

	x, y, dx *tensor.Tensor
	buffer   []float32
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	l.x = x
	if need := x.Rows() * max(dIn, dOut); cap(l.buffer) < need {
		l.buffer = make([]float32, need)
	}
	l.y = tensor.From(l.buffer[:x.Rows()*dOut], slices.Concat(x.Lead(1), []int{dOut})...)
	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	return l.y
}

func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = tensor.From(l.buffer[:l.x.Len()], l.x.Shape...)
	}
}

// buffer-of-the-package: all layers write their y into one buffer
//
// Why: the Forward of a second layer overwrites the y of the first, which is valid until the first's next Forward.
var outputs []float32

func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if need := x.Rows() * dOut; cap(outputs) < need {
			outputs = make([]float32, need)
		}
		l.y = tensor.From(outputs[:x.Rows()*dOut], slices.Concat(x.Lead(1), []int{dOut})...)
	}
}

// x-dropped-after-backward: Backward lets go of x to free its memory
//
// Why: a second Backward may follow; here it panics as if no Forward had come before.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		l.x = nil
		return l.dx
	}
}

// forward-clears-the-gradient: Forward sets the weight's gradient to zero
//
// Why: what Weight.Grad held before stays in the sum; a batch in two pieces loses the first.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		l.Weight.ZeroGrad()
	}
}

// dy-leading-unchecked: Backward looks only at the width of dy
//
// Why: a dy (6, out) is accepted after an x (2, 3, in); it must panic, not having the shape of y.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	} else {
		tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, W.Dim(0))
	}
}

// transposed-once: Wᵀ is copied at the first Forward and kept
//
// Why: after an update of the weight Forward still computes with the old one.
type Linear struct {
	Weight *tensor.Param

	x, y, dx *tensor.Tensor
	wt       *tensor.Tensor
}

func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if l.wt == nil {
			l.wt = tensor.New(dIn, dOut)
			tensor.Copy(l.wt.Matrix(), W.Matrix().T())
		}
		tensor.Mul(l.y.Matrix(), x.Matrix(), l.wt.Matrix())
	}
}

// gradient-from-new: the gradient tensor is remembered by New
//
// Why: the owner may put another tensor in Weight.Grad; the gradient still goes into the old one.
type Linear struct {
	Weight *tensor.Param

	x, y, dx *tensor.Tensor
	grad     *tensor.Tensor
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight, grad: weight.Grad}
}

func (*Linear) Backward() {
	if right {
		W, dW := l.Weight.Value, l.Weight.Grad
	} else {
		W, dW := l.Weight.Value, l.grad
	}
}

// single-row-refused: Forward wants at least one leading dimension
//
// Why: x is (…, in) with any leading dimensions, also none; a vector (in) is refused.
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	} else {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, tensor.Any, dIn)
	}
}

// dy-shape-appended: the shape of dx is appended to dy's leading dimensions, in dy's own memory
//
// Why: dy is not changed by Backward; here its shape ends in `in` afterwards, and a second Backward panics.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)

	g := dy.Matrix()
	tensor.MulAdd(dW.Matrix(), g.T(), l.x.Matrix())
	l.dx = tensor.Reuse(l.dx, append(dy.Lead(1), W.Dim(1))...)
	tensor.Mul(l.dx.Matrix(), g, W.Matrix())
	return l.dx
}
