package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

type MultiHead struct {
	QKV, Output *linear.Linear

	heads     []Attention
	rope      *rope.RoPE
	positions [][]int
}

func NewMultiHead(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), heads: make([]Attention, numHeads), rope: r}
}

func (m *MultiHead) Params() []*tensor.Param {
	var params []*tensor.Param
	d := m.Output.Weight.Value.Dim(0)
	for i, name := range []string{"q_proj.weight", "k_proj.weight", "v_proj.weight"} {
		params = append(params, m.QKV.Weight.Slice(name, i*d, (i+1)*d))
	}
	return append(params, m.Output.Weight.Slice("output_proj.weight", 0, d))
}

// columns copies width columns of x (B, T, …), from first on, to (B, T, width).
func columns(x *tensor.Tensor, first, width int) *tensor.Tensor {
	part := tensor.New(x.Dim(0), x.Dim(1), width)
	for r := range x.Rows() {
		copy(part.Row(r), x.Row(r)[first:first+width])
	}
	return part
}

// put is the opposite of columns.
func put(x, part *tensor.Tensor, first int) {
	for r := range x.Rows() {
		copy(x.Row(r)[first:], part.Row(r))
	}
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("x", x, tensor.Any, tensor.Any, d)
	m.positions = positions
	k, qkv, concat := d/len(m.heads), m.QKV.Forward(x), tensor.New(x.Shape...)
	for h := range m.heads {
		q := m.rope.Forward(nil, columns(qkv, h*k, k), positions)
		key := m.rope.Forward(nil, columns(qkv, d+h*k, k), positions)
		put(concat, m.heads[h].Forward(q, key, columns(qkv, 2*d+h*k, k), Causal(x.Dim(1))), h*k)
	}
	return m.Output.Forward(concat)
}

func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	m.Output.Weight.ZeroGrad()
	k, dConcat, dqkv := d/len(m.heads), m.Output.Backward(dy), tensor.New(dy.Dim(0), dy.Dim(1), 3*d)
	for h := range m.heads {
		dq, dk, dv := m.heads[h].Backward(columns(dConcat, h*k, k))
		put(dqkv, m.rope.Backward(nil, dq, m.positions), h*k)
		put(dqkv, m.rope.Backward(nil, dk, m.positions), d+h*k)
		put(dqkv, dv, 2*d+h*k)
	}
	return m.QKV.Backward(dqkv)
}
