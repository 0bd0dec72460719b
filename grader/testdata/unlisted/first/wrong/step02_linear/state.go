//go:build unlisted

package linear

import "github.com/stubformer/stubformer/reference/tensor"

// y-made-once: y is made by the first Forward and keeps its shape
//
// Why: A second Forward with another number of rows does not fit the y of the first and panics.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if l.y == nil {
			l.y = tensor.ReuseLead(nil, x.Lead(1), dOut)
		}
	}
}

// dx-made-once: dx is made by the first Backward and keeps its shape
//
// Why: A Backward for another number of rows than the first one's does not fit its dx and panics.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		if l.dx == nil {
			l.dx = tensor.New(l.x.Shape...)
		}
	}
}

// y-of-package: all layers return the same y, a variable of the package
//
// Why: The Forward of a second layer overwrites the y that the first one returned.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	l.x = x
	sharedY = tensor.ReuseLead(sharedY, x.Lead(1), dOut)
	tensor.Mul(sharedY.Matrix(), x.Matrix(), W.Matrix().T())
	l.y = &tensor.Tensor{Shape: append([]int{}, sharedY.Shape...), Data: sharedY.Data}
	return l.y
}

var sharedY *tensor.Tensor

// dx-of-package: all layers return the same dx, a variable of the package
//
// Why: The Backward of a second layer overwrites the dx that the first one returned.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		sharedDX = tensor.Reuse(sharedDX, l.x.Shape...)
		l.dx = sharedDX
	}
}

var sharedDX *tensor.Tensor

// gradient-overwritten: Weight.Grad takes the new gradient instead of the sum
//
// Why: What Weight.Grad held before is lost: two Backwards leave the gradient of the second only.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.Mul(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	}
}

// gradient-cleared-by-forward: every Forward sets Weight.Grad to 0
//
// Why: The gradients of two Forward-Backward pairs do not add up, because the second Forward clears the first one's.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		l.Weight.ZeroGrad()
	}
}

// first-x-kept: x is kept anew only if its shape is another one
//
// Why: After a second Forward of the same shape the weight's gradient still belongs to the x of the first.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		if l.x == nil || !l.x.SameShape(x) {
			l.x = x
		}
	}
}

// dx-added-up: dx is added to what its reused memory held
//
// Why: The second Backward returns the sum of its dx and the first one's.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// weight-turned-at-construction: New keeps a transposed copy of the weight, which Forward uses
//
// Why: A weight that is changed after New, as by an optimiser, has no effect on Forward.
func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	wt := tensor.New(weight.Value.Dim(1), weight.Value.Dim(0))
	tensor.Copy(wt.Matrix(), weight.Value.Matrix().T())
	return &Linear{Weight: weight, wt: wt}
}

type Linear struct {
	Weight *tensor.Param // (out, in)

	wt *tensor.Tensor // (in, out)
	x  *tensor.Tensor
	y  *tensor.Tensor
	dx *tensor.Tensor
}

func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), l.wt.Matrix())
	}
}

// x-dropped-after-backward: Backward lets go of x when it is done
//
// Why: A second Backward of the same Forward panics instead of adding the gradient again.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		l.x = nil
		return l.dx
	}
}
