// Package windows holds what attention costs constant: a window of W keys and a few
// sinks at the beginning, with a cache that is a ring; and linear attention, whose past
// is one matrix.
//
// Letters: N queries, M keys, K d_k, C the width of a value, W the window, s the sinks,
// J the tokens of a chunk; in the cache D d_model, H heads, V vocabulary, T_max; "…"
// stands for any leading dimensions, usually (B, H).
//
// What is given is written out: Causal and the check of a mask, and what lets linear
// attention stand in a model.
package windows

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Window is scaled dot-product attention through a window. It has no parameters. The
// zero value is ready for use, and can stand in for the Attention of step 08.
//
// Source: Beltagy et al., "Longformer", 2020, section 3.1; the sinks are those of Xiao et
// al., "Efficient Streaming Language Models with Attention Sinks", 2023.
type Window struct {
	// W is how many keys a query sees, its own among them; 0 stands for 32. Sinks is s,
	// how many keys at the beginning of the text are seen by all later queries, too. They
	// are read by Forward.
	W, Sinks int

	// Yours: what Backward needs, and the tensors that are used again in every call.
}

// Forward computes attention in which query i, which stands at position p = i + M − N,
// sees key j if
//
//	0 ≤ p − j < W    or    j < s and j ≤ p
//
// and the mask allows it:
//
//	S = q kᵀ / √K     where a query sees a key, −Inf elsewhere
//	P = softmax(S)    by the row; 0 in a row that sees nothing
//	y = P v
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). The mask is that of step 08.
// A nil mask, and one without Attend, allows everything that the window shows.
//
// R queries that stand side by side see R + W − 1 keys and the sinks. Their scores are
// computed together, and no others: work and memory are of size N·(R + W + s), not N·M.
//
// Forward keeps q, k, v and mask for Backward: the caller leaves them unchanged until
// then. y is valid until the next Forward. It panics with a ShapeError if the shapes do
// not fit together, or W or Sinks is negative.
func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	panic(tensor.TODO("step21: Window.Forward"))
}

// Weights returns the softmax P (…, N, M) of the last Forward, for those who want to see
// what attends to what. It is made when it is asked for, and valid until the next Forward.
func (a *Window) Weights() *tensor.Tensor {
	panic(tensor.TODO("step21: Window.Weights"))
}

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It returns dq
// (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last Forward. The three are
// valid until the next Backward. It panics with a ShapeError if dy does not have the shape
// of y or no Forward came before.
func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	panic(tensor.TODO("step21: Window.Backward"))
}
