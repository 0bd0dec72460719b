package attention

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// MultiHead is causal multi-head self-attention with rotary positions.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2;
// queries and keys are turned as in Su et al., "RoFormer", 2021.
type MultiHead struct {
	QKV       *linear.Linear // (3D, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear // (D, D)
	Attention Attention      // of all heads; its Weights are (B, H, T, T)

	heads     int
	rope      *rope.RoPE
	mask      *Mask          // causal, for the T of the last Forward
	positions [][]int        // what Forward was given
	q, k, v   *tensor.Tensor // (B, H, T, K)
	joined    *tensor.Tensor // (B, T, D), the heads side by side
	dHeads    *tensor.Tensor // (B, H, T, K)
	dQKV      *tensor.Tensor // (B, T, 3D)
}

// NewMultiHead returns the layer with numHeads heads of K = D/numHeads numbers.
// qkv is (3D, D): its first D rows project to the queries, the next D to the
// keys and the last D to the values; of each D, head h owns rows h·K to (h+1)·K.
// output is (D, D). r must be made for K and may be shared. It panics with a
// ShapeError if these do not fit together.
func NewMultiHead(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	tensor.CheckShape("attention.NewMultiHead: output", output.Value, tensor.Any, tensor.Any)
	d := output.Value.Dim(1)
	tensor.CheckShape("attention.NewMultiHead: output", output.Value, d, d)
	tensor.CheckShape("attention.NewMultiHead: qkv", qkv.Value, 3*d, d)
	if numHeads <= 0 || d%(2*numHeads) != 0 {
		panic(tensor.ShapeError{
			Op:  fmt.Sprintf("attention.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
			Got: []int{d, d}})
	}
	tensor.CheckShape("attention.NewMultiHead: RoPE's tables", r.Cos, tensor.Any, d/(2*numHeads))
	return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), heads: numHeads, rope: r}
}

// Params returns the four projections, each (D, D): q_proj.weight,
// k_proj.weight and v_proj.weight, which are rows of QKV's weight, and
// output_proj.weight.
func (m *MultiHead) Params() []*tensor.Param {
	qkv, output, d := m.QKV.Weight, m.Output.Weight, m.Output.Weight.Value.Dim(0)
	return []*tensor.Param{
		qkv.Slice("q_proj.weight", 0, d),
		qkv.Slice("k_proj.weight", d, 2*d),
		qkv.Slice("v_proj.weight", 2*d, 3*d),
		output.Slice("output_proj.weight", 0, d),
	}
}

// Forward lets every token attend to itself and to the tokens before it:
//
//	qkv     = x W_QKVᵀ                              (B, T, 3D)
//	q, k, v = its thirds, each split into heads     (B, H, T, K)
//	heads   = Attention(RoPE(q), RoPE(k), v)        (B, H, T, K), causal
//	y       = (heads, joined to (B, T, D)) W_Oᵀ     (B, T, D)
//
// x and y are (B, T, D). positions holds the position of every token, (B, T) or
// one row (1, T); the order of attention is that of the tokens, not of their
// positions. Forward keeps x and positions for Backward: the caller leaves them
// unchanged until then. y is valid until the next Forward. It panics with a
// ShapeError if x or positions has the wrong shape, and with an IndexError if a
// position is not in RoPE's tables.
func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, seq := x.Dim(0), x.Dim(1)
	m.positions = positions
	if m.mask == nil || m.mask.N != seq {
		m.mask = Causal(seq)
	}

	qkv := m.QKV.Forward(x)
	m.q = m.split(m.q, qkv, 0)
	m.k = m.split(m.k, qkv, d)
	m.v = m.split(m.v, qkv, 2*d)
	m.q = m.rope.Forward(m.q, m.q, positions)
	m.k = m.rope.Forward(m.k, m.k, positions)
	heads := m.Attention.Forward(m.q, m.k, m.v, m.mask)

	m.joined = tensor.Reuse(m.joined, batch, seq, d)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to y. It
// returns dx (B, T, D), adds to the gradients of QKV and Output, and belongs to
// the last Forward. dx is valid until the next Backward. It panics with a
// ShapeError if dy does not have the shape of y or no Forward came before.
func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Each line undoes one line of Forward, from the last to the first. The lesson
	// counts on from Attention.Backward's six.
	// (7)  y is a Linear of joined:                dJoined = dy W_O
	// (8)  joined is heads in another order:       dHeads  = dJoined, split the same way
	// (9)  heads = Attention(q', k', v):           dq', dk', dv = what (1) to (6) give
	// (10) q' and k' are q and k, turned:          dq, dk  = dq', dk', turned back
	// (11) q, k and v are columns of qkv, split:   dQKV    = dq, dk, dv, joined side by side
	// (12) qkv is a Linear of x:                   dx      = dQKV W_QKV
	d := m.Output.Weight.Value.Dim(0)
	dJoined := m.Output.Backward(dy)             // (7), and the gradient of W_O
	m.dHeads = m.split(m.dHeads, dJoined, 0)     // (8)
	dq, dk, dv := m.Attention.Backward(m.dHeads) // (9)
	dq = m.rope.Backward(dq, dq, m.positions)    // (10)
	dk = m.rope.Backward(dk, dk, m.positions)    // (10)

	m.dQKV = tensor.Reuse(m.dQKV, dy.Dim(0), dy.Dim(1), 3*d)
	join(m.dQKV, dq, 0) // (11)
	join(m.dQKV, dk, d)
	join(m.dQKV, dv, 2*d)
	return m.QKV.Backward(m.dQKV) // (12), and the gradient of W_QKV
}

// split copies the D columns of src (B, T, …) that begin at first, read as
// (B, T, H, K), to dst (B, H, T, K): the numbers of a token are H groups of K,
// and each group goes to its own head.
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	batch, seq, width := src.Dim(0), src.Dim(1), 2*m.rope.Cos.Dim(1)
	dst = tensor.Reuse(dst, batch, m.heads, seq, width)
	for b := range batch {
		for h := range m.heads {
			columns := src.MatrixAt(b).Block(0, first+h*width, seq, width) // (T, K) of (T, …)
			tensor.Copy(dst.MatrixAt(b*m.heads+h), columns)
		}
	}
	return dst
}

// join copies src (B, H, T, K) to the columns of dst (B, T, …) that begin at
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
