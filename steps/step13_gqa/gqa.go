// Package gqa is attention with grouped queries: several heads ask with queries of
// their own and share one head of keys and values.
//
// Letters: B batch, T time, N new tokens, D d_model, H heads, H_kv heads of keys and
// values, K d_k = D/H, E = H_kv·K. Query head h reads key/value head ⌊h/(H/H_kv)⌋.
//
// What is given is written out: the constructor, Params, and Grouped, with which
// grade train --with gqa puts your layer into your model. Attention of step 08 takes
// q (…, N, K), k and v (…, M, K) with equal leading dimensions.
package gqa

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// MultiHead is causal multi-head self-attention with rotary positions, in which
// groups of H/H_kv heads share keys and values. With H_kv = H it is step 08's, with
// H_kv = 1 multi-query attention.
//
// Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models
// from Multi-Head Checkpoints", 2023, section 2.2; Shazeer, "Fast Transformer
// Decoding: One Write-Head is All You Need", 2019, for H_kv = 1.
type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads int        // H, H_kv
	rope           *rope.RoPE // for K = D/H

	// Yours: the causal mask, the positions and what else Backward needs, and the
	// tensors that are used again in every call.
}

// NewMultiHead returns the layer with numHeads heads of K = D/numHeads numbers.
// qkv is (D+2E, D), from which H_kv = E/K follows: its first D rows project to the
// queries, of which head h owns rows h·K to (h+1)·K, the next E to the keys and the
// last E to the values, of which key/value head g owns rows g·K to (g+1)·K. output
// is (D, D). r must be made for K and may be shared. It panics with a ShapeError if
// these do not fit together, or if H_kv does not divide H.
func NewMultiHead(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	tensor.CheckShape("gqa.NewMultiHead: output", output.Value, tensor.Any, tensor.Any)
	d := output.Value.Dim(1)
	tensor.CheckShape("gqa.NewMultiHead: output", output.Value, d, d)
	tensor.CheckShape("gqa.NewMultiHead: qkv", qkv.Value, tensor.Any, d)
	if numHeads <= 0 || d%(2*numHeads) != 0 {
		panic(tensor.ShapeError{
			Op:  fmt.Sprintf("gqa.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
			Got: []int{d, d}})
	}
	width := d / numHeads
	kvHeads := (qkv.Value.Dim(0) - d) / (2 * width)
	if kvHeads <= 0 || numHeads%kvHeads != 0 || qkv.Value.Dim(0) != d+2*kvHeads*width {
		panic(tensor.ShapeError{
			Op: fmt.Sprintf("gqa.NewMultiHead: qkv has no keys and values for a number of heads that divides %d",
				numHeads),
			Got: qkv.Value.Shape})
	}
	tensor.CheckShape("gqa.NewMultiHead: RoPE's tables", r.Cos, tensor.Any, width/2)
	return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), heads: numHeads, kvHeads: kvHeads, rope: r}
}

// Params returns the four projections: q_proj.weight (D, D), k_proj.weight and
// v_proj.weight (E, D), which are rows of QKV's weight, and output_proj.weight
// (D, D).
func (m *MultiHead) Params() []*tensor.Param {
	qkv, output, d, e := m.QKV.Weight, m.Output.Weight, m.Output.Weight.Value.Dim(0), m.kvHeads*m.width()
	return []*tensor.Param{
		qkv.Slice("q_proj.weight", 0, d),
		qkv.Slice("k_proj.weight", d, d+e),
		qkv.Slice("v_proj.weight", d+e, d+2*e),
		output.Slice("output_proj.weight", 0, d),
	}
}

// width returns K.
func (m *MultiHead) width() int { return m.Output.Weight.Value.Dim(0) / m.heads }

// Forward lets every token attend to itself and to the tokens before it:
//
//	qkv     = x W_QKVᵀ                                  (B, T, D+2E)
//	q       = its columns 0 to D, split into heads      (B, H, T, K)
//	k, v    = its columns D to D+E, D+E to D+2E, split  (B, H_kv, T, K)
//	heads   = Attention(RoPE(q), Repeat(RoPE(k)), Repeat(v))    (B, H, T, K), causal
//	y       = (heads, joined to (B, T, D)) W_Oᵀ         (B, T, D)
//
// x and y are (B, T, D). positions holds the position of every token, (B, T) or one
// row (1, T), and is meant for RoPE alone. Forward keeps x and positions for
// Backward: the caller leaves them unchanged until then. y is valid until the next
// Forward. x is not changed. It panics with a ShapeError if x or positions has the
// wrong shape, and with an IndexError if a position is not in RoPE's tables.
func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	panic(tensor.TODO("step13: MultiHead.Forward"))
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to y. It
// returns dx (B, T, D), adds to the gradients of QKV and Output, and belongs to the
// last Forward. Each line undoes one of Forward, from the last to the first:
//
//	dJoined            = Backward of Output
//	dHeads             = dJoined, split as in Forward                (B, H, T, K)
//	dq, dKeys, dValues = Backward of Attention                       three of (B, H, T, K)
//	dk, dv             = SumGroups(dKeys), SumGroups(dValues)        (B, H_kv, T, K)
//	dq, dk             = turned back by RoPE.Backward
//	dQKV               = dq, dk and dv, joined and side by side      (B, T, D+2E)
//	dx                 = Backward of QKV
//
// dx is valid until the next Backward. dy is not changed. It panics with a ShapeError
// if dy does not have the shape of y or no Forward came before.
func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step13: MultiHead.Backward"))
}
