// Package attention lets every token gather what it needs from the tokens
// before it.
// This is step 08; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, H heads, K d_k = D/H, N queries, M keys,
// C the width of a value; "…" stands for any leading dimensions, usually (B, H).
//
// A tensor (…, N, K) is a row of matrices (N, K), one for every leading index:
// t.Matrices() of them, and t.MatrixAt(i) is a view of the i-th. The scores of one
// matrix, before the scale, are
//
//	tensor.Mul(s, q, k.T())
//
// with such views s (N, M), q (N, K) and k (M, K). A part of a view, such as some
// of its columns, is Matrix.Block, and tensor.Copy copies one view to another. The
// softmax is step 07's: the folder is steps/step07_softmax, the package softmax.
//
// Several goroutines may work at the same time, each with layers of its own: keep
// nothing in variables of the package.
package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// Attention is scaled dot-product attention. It has no parameters. The zero
// value is ready for use: var a Attention.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.
type Attention struct {
	// Yours: q, k and v as Forward was given them and the softmax, because
	// Backward needs them, and the tensors that are used again in every call.
}

// Forward computes, for every leading index,
//
//	S = q kᵀ / √K              (N, M)  one score for every query and key
//	P = softmax(S, masked)     (N, M)  the weights: each row sums to 1
//	y = P v                    (N, C)  for every query a weighted mean of the values
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). Where the mask does
// not allow a pair, its score is −Inf before the softmax and its weight 0. A
// query that may attend nowhere gets weights of 0 and y = 0, which is what
// softmax.Softmax of step 07 makes of a row of −Inf. A nil mask allows
// everything; a mask's Attend has N·M entries for all leading indices, or N·M
// for each.
//
// Forward keeps q, k and v for Backward: the caller leaves them unchanged until
// then. It changes none of them either. y is valid until the next Forward.
//
// It panics with a ShapeError if q has fewer than two dimensions, if k has not
// q's leading dimensions or another K, if v has not k's leading dimensions or
// another M, and if the mask is made for another N or M or, with a matrix for each
// leading index, for another number of them:
//
//	tensor.CheckLead("Attention.Forward: k", k, q.Lead(2), tensor.Any, K)
//	panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{N, M}})
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	panic(tensor.TODO("step08: Attention.Forward"))
}

// Weights returns the softmax P (…, N, M) of the last Forward, for those who
// want to see what attends to what. It is valid until the next Forward.
func (a *Attention) Weights() *tensor.Tensor {
	panic(tensor.TODO("step08: Attention.Weights"))
}

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It
// returns dq (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last
// Forward. For every leading index:
//
//	dv = Pᵀ dy
//	dP = dy vᵀ
//	dS = P ⊙ (dP − Σ dP⊙P), row by row: softmax.Backward of step 07
//	dq = dS k / √K
//	dk = dSᵀ q / √K
//
// The three are valid until the next Backward. dy is not changed. It panics with
// a ShapeError if no Forward came before or dy does not have the shape of y:
// check the q that Forward kept first, since tensor.CheckShape refuses a nil
// tensor, and only then ask for the shape of y.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	panic(tensor.TODO("step08: Attention.Backward"))
}
