//go:build unlisted

package linear

import "slices"

// dw-mean-over-rows: the weight's gradient is the mean over the rows and not the sum
//
// Why: the lesson's point 5; dW is N times too small, a finite difference differs for more than one row.
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

// dx-added-to-the-buffer: dx is accumulated into the reused tensor
//
// Why: the second Backward of one shape returns the sum of both dx.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// forward-clears-the-gradient: each Forward sets the weight's gradient to zero
//
// Why: a batch in two pieces (Forward, Backward, Forward, Backward) keeps the last piece only; whoever begins a step clears, not the layer.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		l.Weight.ZeroGrad()
	}
}

// y-shape-by-append: the shape of y is made with append in x's own shape
//
// Why: append writes out into the last place of x.Shape, so the caller's x is (…, out) afterwards; x must not change.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		l.y = tensor.Reuse(l.y, append(x.Shape[:len(x.Shape)-1], dOut)...)
		x = &tensor.Tensor{Shape: append(slices.Clone(x.Lead(1)), dIn), Data: x.Data}
		l.x = x
	}
}

// y-flattened: y is always a matrix (N, out), whatever the leading dimensions
//
// Why: x of (B, T, in) must give y of (B, T, out).
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		l.y = tensor.Reuse(l.y, x.Rows(), dOut)
	}
}

// dx-into-x: dx takes the memory of x, which Backward no longer needs after dW
//
// Why: x belongs to the caller and must not change; a second Backward takes dx for x.
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

// x-released-by-backward: Backward lets go of x when it is done
//
// Why: a second Backward after one Forward is allowed; here it panics.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		l.x = nil
		return l.dx
	}
}

// dy-only-its-width: Backward checks the width of dy alone
//
// Why: a dy with other leading dimensions but as many rows is taken, though dy must have the shape of y.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	} else {
		tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, l.y.Dim(-1))
	}
}

// own-param: New puts the tensors of the weight into a Param of its own
//
// Why: the owner may put other tensors into its Param; the layer goes on with the old ones, and Params returns another Param than it was given.
func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: &tensor.Param{Name: weight.Name, Value: weight.Value, Grad: weight.Grad}}
}

// y-allocated-for-the-first-call: the tensor of y keeps the shape of the first call if it is large enough
//
// Why: a later, smaller batch gets a y of the old shape with old rows behind its own.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if l.y == nil || l.y.Rows() < x.Rows() {
			l.y = tensor.ReuseLead(nil, x.Lead(1), dOut)
		}
		tensor.Mul(l.y.Matrix().Block(0, 0, x.Rows(), dOut), x.Matrix(), W.Matrix().T())
	}
}
