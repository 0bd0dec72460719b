// Package oracle is the whole course in float64: the expected value of every
// layer, forward and backward, for any input. It is written to be read next to
// the papers; autodiff derives the gradients, so that no derivative here is
// written by hand.
//
// The pieces (Linear, RMSNorm, Attention, …) work on *autodiff.Tensor and
// panic like autodiff when shapes do not fit. Eval is the door for the grader:
// it answers the functions of the wire by name, checks every argument first,
// and returns errors.
//
// Letters of shapes, here and in the whole course:
//
//	B batch            T time              D d_model
//	H heads            K d_k = D/H         F d_ff
//	V vocabulary       N queries           M keys
//	… any number of leading dimensions
//
// Conventions: a weight is (out, in) and y = x Wᵀ; activations are (B, T, D);
// there are no biases; a mask is true where a query may attend.
package oracle
