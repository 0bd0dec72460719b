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

	heads int        // H
	rope  *rope.RoPE // for K = D/H

	// Yours: the causal mask, the positions and what else Backward needs, and the
	// tensors that are used again in every call.
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
//	qkv     = x W_QKVᵀ                            (B, T, 3D), one product for all three
//	q, k, v = its columns 0 to D, D to 2D, 2D to 3D, each split into heads
//	                                              (B, T, D) → (B, T, H, K) → (B, H, T, K)
//	heads   = Attention(RoPE(q), RoPE(k), v)      (B, H, T, K), causal
//	y       = joined heads · W_Oᵀ                 (B, H, T, K) → (B, T, D) → (B, T, D)
//
// Head h of token t holds the columns h·K to (h+1)·K of its row. Splitting moves
// numbers: element [b, t, h, i] goes to [b, h, t, i]. A Reshape does not do that.
//
// x and y are (B, T, D). positions holds the position of every token, (B, T) or
// one row (1, T), and is meant for RoPE alone: what may attend to what follows
// the order of the tokens. Forward keeps x and positions for Backward: the caller
// leaves them unchanged until then. y is valid until the next Forward. x is not
// changed.
//
// It panics with a ShapeError if x or positions has the wrong shape, and with an
// IndexError if a position is not in RoPE's tables, which RoPE.Forward sees to.
func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	panic(tensor.TODO("step08: MultiHead.Forward"))
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to y. It
// returns dx (B, T, D), adds to the gradients of QKV and Output, and belongs to
// the last Forward. Each line undoes one of Forward, from the last to the first:
//
//	dJoined    = Backward of Output
//	dHeads     = dJoined, split as in Forward
//	dq, dk, dv = Backward of Attention; then RoPE.Backward turns dq and dk back
//	dQKV       = dq, dk and dv, joined and side by side    (B, T, 3D)
//	dx         = Backward of QKV
//
// The two Linears add the gradients of their weights. dx is valid until the next
// Backward. dy is not changed. It panics with a ShapeError if dy does not have
// the shape of y or no Forward came before.
func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step08: MultiHead.Backward"))
}
