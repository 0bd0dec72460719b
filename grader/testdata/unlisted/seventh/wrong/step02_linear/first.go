//go:build unlisted

package linear

import "slices"

// y-flattened: y is (N, out) whatever the leading dimensions of x
//
// Why: for x (B, T, in) y must be (B, T, out).
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		l.y = tensor.Reuse(l.y, x.Rows(), dOut)
	}
}

// shape-appended-in-x: the shape of y is made with append to a part of x.Shape
//
// Why: append writes into x's own shape, which is (…, out) afterwards; x must not be changed.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		m := x.Matrix()
		shape := append(x.Shape[:len(x.Shape)-1], dOut)
		l.y = tensor.Reuse(l.y, shape...)
		tensor.Mul(l.y.Matrix(), m, W.Matrix().T())
	}
}

// weight-reshaped: the data of W are read as (in, out) instead of being transposed
//
// Why: y differs from Σ_j x_nj·W_ij as soon as both sizes are above 1.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Reshape(dIn, dOut).Matrix())
	}
}

// y-shape-stale: y is made anew only if the number of its elements changes
//
// Why: x (2, 3, in) and then x (3, 2, in) gives a y (2, 3, out).
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if l.y == nil || l.y.Len() != x.Rows()*dOut {
			l.y = tensor.New(slices.Concat(x.Lead(1), []int{dOut})...)
		}
	}
}

// empty-batch-shortcut: an x without rows returns at once
//
// Why: x (2, 0, in) gives (0, out) and not (2, 0, out), and Backward still belongs to the Forward before.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		if x.Rows() == 0 {
			return tensor.New(0, dOut)
		}
		l.x = x
	}
}

// three-dimensions-only: refuses every x that is not (B, T, in)
//
// Why: x (…, in) may have any leading dimensions, for instance (N, in) or (B, H, T, in).
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	} else {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Any, tensor.Any, dIn)
	}
}

// x-kept-before-check: x is kept before it is looked at
//
// Why: after a refused Forward, Backward no longer belongs to the y of the last Forward that gave one.
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
		l.x = x
	} else {
		l.x = x
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	}
}

// weight-kept-at-new: New keeps the tensor of the weight, not only the Param
//
// Why: when the owner puts another tensor in weight.Value, the layer goes on with the old one.
type Linear struct {
	Weight *tensor.Param // (out, in)

	w  *tensor.Tensor
	x  *tensor.Tensor // (…, in), what Forward was given
	y  *tensor.Tensor // (…, out), reused by every Forward
	dx *tensor.Tensor // (…, in), reused by every Backward
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight, w: weight.Value}
}

func (*Linear) Forward() {
	if right {
		W := l.Weight.Value
	} else {
		W := l.w
	}
}

func (*Linear) Backward() {
	if right {
		W, dW := l.Weight.Value, l.Weight.Grad
	} else {
		W, dW := l.w, l.Weight.Grad
	}
}

// gradient-kept-at-new: New keeps the tensor of the gradient, not only the Param
//
// Why: when the owner puts another tensor in weight.Grad, the gradient is added to the old one.
type Linear struct {
	Weight *tensor.Param // (out, in)

	dw *tensor.Tensor
	x  *tensor.Tensor // (…, in), what Forward was given
	y  *tensor.Tensor // (…, out), reused by every Forward
	dx *tensor.Tensor // (…, in), reused by every Backward
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight, dw: weight.Grad}
}

func (*Linear) Backward() {
	if right {
		W, dW := l.Weight.Value, l.Weight.Grad
	} else {
		W, dW := l.Weight.Value, l.dw
	}
}

// transpose-kept: the first Forward makes a transposed copy of the weight and keeps it
//
// Why: training changes the numbers of the weight, and y still comes from the first ones.
type Linear struct {
	Weight *tensor.Param // (out, in)

	wt *tensor.Tensor // (in, out)
	x  *tensor.Tensor // (…, in), what Forward was given
	y  *tensor.Tensor // (…, out), reused by every Forward
	dx *tensor.Tensor // (…, in), reused by every Backward
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

// dw-overwritten: the gradient of the weight is written over what was there
//
// Why: what Weight.Grad held before must stay in the sum.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.Mul(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	}
}

// dx-added-to-the-last: dx is added to what its reused memory held
//
// Why: the second Backward returns the sum of two gradients.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// dw-mean-over-rows: the gradient of the weight is divided by the number of rows
//
// Why: dW_ij is a sum over n; the mean is part of the loss.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		sum := tensor.New(dW.Shape...)
		tensor.Mul(sum.Matrix(), dy.Matrix().T(), l.x.Matrix())
		for i, v := range sum.Data {
			dW.Data[i] += v / float32(max(1, l.x.Rows()))
		}
	}
}

// x-released: Backward lets go of x, to save memory
//
// Why: a second Backward may follow; here it panics.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		l.x = nil
		return l.dx
	}
}

// dy-of-any-lead: dy needs only the right width and as many rows as y
//
// Why: dy (6, out) for a y (2, 3, out) must be refused with a ShapeError.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	} else {
		tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, W.Dim(0))
	}
}

// dx-of-the-package: all layers write dx into one tensor of the package
//
// Why: the Backward of another layer overwrites this one's dx, which is valid until its own next Backward.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		gradient = tensor.Reuse(gradient, l.x.Shape...)
		l.dx = gradient
	}
}

var gradient *tensor.Tensor

// dx-over-x: dx takes the memory of x, which is no longer needed
//
// Why: x is the caller's and must not be changed; a second Backward adds a wrong dW.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		l.dx = l.x
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// dx-over-y: dx takes the memory of y where it is large enough
//
// Why: y is valid until the next Forward; Backward overwrites it.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		if n := l.x.Len(); n <= l.y.Len() {
			l.dx = tensor.From(l.y.Data[:n], l.x.Shape...)
		} else {
			l.dx = tensor.New(l.x.Shape...)
		}
	}
}
