// Package linear is the layer that multiplies by a matrix of weights.
//
// Shapes: x (…, in), weight (out, in), y (…, out), where … are any leading
// dimensions. All of them together make the rows of a matrix: N rows below.
package linear

import "github.com/stubformer/stubformer/reference/tensor"

// Linear computes y = x·Wᵀ. It has no bias.
type Linear struct {
	Weight *tensor.Param // (out, in)

	x  *tensor.Tensor // (…, in), what Forward was given
	y  *tensor.Tensor // (…, out), reused by every Forward
	dx *tensor.Tensor // (…, in), reused by every Backward
}

// New returns the layer with the given weight (out, in). It keeps the Param and
// looks into it in every call: training changes the numbers of its tensors, and
// its owner may put others in their place.
// It panics with a ShapeError if the weight is not a matrix.
func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight}
}

// Forward returns y = x·Wᵀ for every row of x:
//
//	y_ni = Σ_j x_nj · W_ij
//
// x is (…, in) and y is (…, out). Forward keeps x for Backward: the caller
// leaves it unchanged until then. y is valid until the next Forward. It panics
// with a ShapeError if the last dimension of x is not in.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)

	l.x = x
	l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T()) // y = x·Wᵀ: (N, in)·(in, out) = (N, out)
	return l.y
}

// Backward takes dy (…, out), the gradient of the loss with respect to y. It
// returns dx (…, in), adds the weight's gradient to Weight.Grad, and belongs
// to the last Forward. dx is valid until the next Backward. It panics with a
// ShapeError if dy does not have the shape of y or no Forward came before.
//
// Source: Rumelhart, Hinton and Williams, 1986.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (1) Forward was y_ni = Σ_j x_nj·W_ij.
	// (2) The loss depends on x and W only through y, so the chain rule sums over
	//     every y that an entry had a part in.
	// (3) x_nj is in all y_ni of its own row:   dx_nj = Σ_i dy_ni·W_ij,  dx = dy·W.
	// (4) W_ij is in y_ni of every row n:       dW_ij = Σ_n dy_ni·x_nj,  dW = dyᵀ·x.
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)

	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())        // (3) (N, out)·(out, in) = (N, in)
	tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix()) // (4) (out, N)·(N, in) = (out, in)
	return l.dx
}

// Params returns the layer's one parameter, the weight.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
