// Package linear is the layer that multiplies by a matrix of weights.
// This is step 02; the lesson is in README.md beside this file.
//
// Shapes: x (…, in), weight (out, in), y (…, out), where … are any leading
// dimensions. All of them together make the rows of a matrix: N rows below.
package linear

import "github.com/stubformer/stubformer/reference/tensor"

// Linear computes y = x·Wᵀ. It has no bias.
type Linear struct {
	Weight *tensor.Param // (out, in)

	// Yours: the x that Forward was given, because Backward needs it, and the
	// tensors that Forward and Backward return, so that they can be used again.
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
// x is (…, in) and y is (…, out): the leading dimensions of y are those of x.
// Forward keeps x itself, not a copy, for Backward: the caller leaves it
// unchanged until then. Take the memory of y from tensor.ReuseLead, with x.Lead(1)
// for its leading dimensions; y is valid until the next Forward. x is not changed.
//
// The product is one call of tensor.Mul, which takes matrices: the view t.Matrix()
// reads a tensor of any rank as a matrix of rows, and m.T() is its transpose.
//
// It panics with a ShapeError if the last dimension of x is not in:
// tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, in) does that.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step02: Linear.Forward"))
}

// Backward takes dy (…, out), the gradient of the loss with respect to the y
// of the last Forward, and computes the gradients of what made it:
//
//	dx_nj  = Σ_i dy_ni · W_ij    returned, (…, in)
//	dW_ij += Σ_n dy_ni · x_nj    added to Weight.Grad, (out, in)
//
// n runs over all rows, whatever the leading dimensions. What Weight.Grad held
// before stays in the sum. Take the memory of dx from tensor.Reuse; dx is valid
// until the next Backward. Each line is one matrix product: see tensor.Mul, which
// overwrites, and tensor.MulAdd, which adds. dy and x are not changed, so that a second
// Backward may follow; this holds for every layer of the course.
//
// It panics with a ShapeError if no Forward came before or dy does not have the
// shape of y. tensor.CheckShape refuses a nil tensor, so check the x that Forward
// kept first, and only then ask for its shape:
//
//	tensor.CheckShape("Linear.Backward: x of Forward", x, tensor.Lead, in)
//	tensor.CheckShape("Linear.Backward: dy", dy, …)
//
// Source: Rumelhart, Hinton and Williams, "Learning representations by
// back-propagating errors", 1986.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step02: Linear.Backward"))
}

// Params returns the layer's one parameter, the weight.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
