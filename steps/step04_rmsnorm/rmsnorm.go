// Package rmsnorm scales every row of activations to a root mean square of 1.
// This is step 04; the lesson is in README.md beside this file.
//
// Shapes: x and y (…, D), gain (D), where … are any leading dimensions. All of
// them together make the rows of a matrix: N rows of length D below.
package rmsnorm

import "github.com/stubformer/stubformer/reference/tensor"

// Eps stands inside the root, added to the mean of the squares: a row of zeros
// is divided by √Eps and not by 0.
const Eps = 1e-5

// RMSNorm computes y = x/√(mean(x²) + Eps) ⊙ g for every row.
type RMSNorm struct {
	Gain *tensor.Param // (D)

	// Yours: the x that Forward was given and the r of every row (below),
	// because Backward needs them, and the tensors that Forward and Backward
	// return, so that they can be used again.
}

// New returns the layer with the given gain (D). It keeps the Param and
// looks into it in every call: training changes the numbers of its tensors, and
// its owner may put others in their place.
// It panics with a ShapeError if the gain is not a vector.
func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain}
}

// Forward normalises every row of x:
//
//	r_n  = 1/√( (1/D)·Σ_j x_nj² + Eps )
//	y_ni = x_ni · r_n · g_i
//
// x and y are (…, D), n counts the rows (x.Rows(), x.Row(n)). Every row has its
// own r; the gain g is the same for all rows. Sum in float64: the square of
// 1e20 is no longer a float32. Forward keeps x itself, not a copy, for
// Backward: the caller leaves it unchanged until then. Take the memory of y
// from tensor.Reuse; y is valid until the next Forward. x is not changed.
//
// It panics with a ShapeError if the last dimension of x is not D:
// tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, D) does that.
//
// Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019,
// equation 4, which has no Eps; it stands where Llama's code has it.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step04: RMSNorm.Forward"))
}

// Backward takes dy (…, D), the gradient of the loss with respect to the y of
// the last Forward, and computes the gradients of what made it. With the
// normalised row h_ni = x_ni·r_n and its gradient dh_ni = dy_ni·g_i:
//
//	dx_ni  = r_n · (dh_ni − h_ni · (1/D)·Σ_j dh_nj·h_nj)    returned, (…, D)
//	dg_i  += Σ_n dy_ni · h_ni                               added to Gain.Grad, (D)
//
// The second term of dx is there because every x_nj also changes r_n. Compute it
// from h, as it stands: written with x it has the factor r_n³, and for a row of
// 1e16 that is no longer a float32. What Gain.Grad held before stays in the sum.
// Take the memory of dx from tensor.Reuse; dx is valid until the next Backward.
// dy and x are not changed.
//
// It panics with a ShapeError if no Forward came before or dy does not have the
// shape of y. tensor.CheckShape refuses a nil tensor, so check the x that Forward
// kept first, and only then ask for its shape:
//
//	tensor.CheckShape("RMSNorm.Backward: x of Forward", x, tensor.Lead, D)
//	tensor.CheckShape("RMSNorm.Backward: dy", dy, …)
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step04: RMSNorm.Backward"))
}

// Params returns the layer's one parameter, the gain.
func (l *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{l.Gain} }
