// Package gqa is attention with grouped queries: several heads ask with queries of
// their own and share one head of keys and values.
//
// Letters: B batch, T time, N new tokens, D d_model, H heads, H_kv heads of keys and
// values, K d_k = D/H, E = H_kv·K. Query head h reads key/value head ⌊h/(H/H_kv)⌋.
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

	heads, kvHeads int // H, H_kv
	rope           *rope.RoPE
	mask           *attention.Mask // causal, for the T of the last Forward
	positions      [][]int         // what Forward was given
	q              *tensor.Tensor  // (B, H, T, K)
	k, v           *tensor.Tensor  // (B, H_kv, T, K)
	keys, values   *tensor.Tensor  // (B, H, T, K): k and v, once for every head that reads them
	joined         *tensor.Tensor  // (B, T, D), the heads side by side
	dHeads         *tensor.Tensor  // (B, H, T, K)
	dk, dv         *tensor.Tensor  // (B, H_kv, T, K)
	dQKV           *tensor.Tensor  // (B, T, D+2E)
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
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	if seq := x.Dim(1); m.mask == nil || m.mask.N != seq {
		m.mask = attention.Causal(seq)
	}

	m.project(x, positions)
	m.positions = positions
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	heads := m.Attention.Forward(m.q, m.keys, m.values, m.mask)

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

// project fills q, k and v from x (B, T, D), q and k turned to the positions.
func (m *MultiHead) project(x *tensor.Tensor, positions [][]int) {
	d, e := x.Dim(2), m.kvHeads*m.width()
	qkv := m.QKV.Forward(x) // (B, T, D+2E)
	m.q = split(m.q, qkv, 0, m.heads, m.width())
	m.k = split(m.k, qkv, d, m.kvHeads, m.width())
	m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	m.q = m.rope.Forward(m.q, m.q, positions)
	m.k = m.rope.Forward(m.k, m.k, positions)
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to y. It
// returns dx (B, T, D), adds to the gradients of QKV and Output, and belongs to the
// last Forward. dx is valid until the next Backward. dy is not changed. It panics
// with a ShapeError if dy does not have the shape of y or no Forward came before.
func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Each line undoes one line of Forward, from the last to the first.
	// (1) y is a Linear of joined:                dJoined = dy W_O
	// (2) joined is heads in another order:       dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, keys, values):     dq, dKeys, dValues = what step 08 gives
	// (4) keys[h] = k[⌊h/(H/H_kv)⌋]: k[g] was read by every h of its group, and what
	//     is read several times gets the sum:     dk[g]   = Σ dKeys[h] over the group
	//                                             dv[g]   = Σ dValues[h]
	// (5) RoPE had turned q and k:                dq, dk  = the same, turned back
	// (6) q, k and v are columns of qkv, split:   dQKV    = dq, dk, dv, joined side by side
	// (7) qkv is a Linear of x:                   dx      = dQKV W_QKV
	d, e := m.Output.Weight.Value.Dim(0), m.kvHeads*m.width()
	dJoined := m.Output.Backward(dy)                           // (1), and the gradient of W_O
	m.dHeads = split(m.dHeads, dJoined, 0, m.heads, m.width()) // (2)
	dq, dKeys, dValues := m.Attention.Backward(m.dHeads)       // (3)
	m.dk = SumGroups(m.dk, dKeys, m.kvHeads)                   // (4)
	m.dv = SumGroups(m.dv, dValues, m.kvHeads)                 // (4)
	dq = m.rope.Backward(dq, dq, m.positions)                  // (5)
	m.dk = m.rope.Backward(m.dk, m.dk, m.positions)            // (5)

	m.dQKV = tensor.Reuse(m.dQKV, dy.Dim(0), dy.Dim(1), d+2*e)
	join(m.dQKV, dq, 0) // (6)
	join(m.dQKV, m.dk, d)
	join(m.dQKV, m.dv, d+e)
	return m.QKV.Backward(m.dQKV) // (7), and the gradient of W_QKV
}

// split copies heads·width columns of src (B, T, …), which begin at first, read as
// (B, T, heads, width), to dst (B, heads, T, width).
func split(dst, src *tensor.Tensor, first, heads, width int) *tensor.Tensor {
	batch, seq := src.Dim(0), src.Dim(1)
	dst = tensor.Reuse(dst, batch, heads, seq, width)
	for b := range batch {
		for h := range heads {
			columns := src.MatrixAt(b).Block(0, first+h*width, seq, width) // (T, K) of (T, …)
			tensor.Copy(dst.MatrixAt(b*heads+h), columns)
		}
	}
	return dst
}

// join copies src (B, heads, T, width) to the columns of dst (B, T, …) that begin at
// first: the opposite of split.
func join(dst, src *tensor.Tensor, first int) {
	batch, heads, seq, width := src.Dim(0), src.Dim(1), src.Dim(2), src.Dim(3)
	for b := range batch {
		for h := range heads {
			columns := dst.MatrixAt(b).Block(0, first+h*width, seq, width)
			tensor.Copy(columns, src.MatrixAt(b*heads+h))
		}
	}
}
