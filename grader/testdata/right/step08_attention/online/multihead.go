package attention

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// MultiHead moves one number at a time between the two orders, and turns q and k
// before they are split: the heads stand where RoPE expects further dimensions.
type MultiHead struct {
	QKV, Output *linear.Linear
	Attention   Attention

	heads     int
	rope      *rope.RoPE
	x         *tensor.Tensor
	positions [][]int
}

func NewMultiHead(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	tensor.CheckShape("attention.NewMultiHead: output", output.Value, tensor.Any, tensor.Any)
	d := output.Value.Dim(1)
	tensor.CheckShape("attention.NewMultiHead: output", output.Value, d, d)
	tensor.CheckShape("attention.NewMultiHead: qkv", qkv.Value, 3*d, d)
	if numHeads <= 0 || d%(2*numHeads) != 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("attention.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
			Got: []int{d, d}})
	}
	tensor.CheckShape("attention.NewMultiHead: RoPE's tables", r.Cos, tensor.Any, d/(2*numHeads))
	return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), heads: numHeads, rope: r}
}

func (m *MultiHead) Params() []*tensor.Param {
	qkv, output, d := m.QKV.Weight, m.Output.Weight, m.Output.Weight.Value.Dim(0)
	return []*tensor.Param{
		qkv.Slice("q_proj.weight", 0, d),
		qkv.Slice("k_proj.weight", d, 2*d),
		qkv.Slice("v_proj.weight", 2*d, 3*d),
		output.Slice("output_proj.weight", 0, d),
	}
}

// split returns one of the three parts of qkv, by heads: (B, H, T, K).
func (m *MultiHead) split(qkv *tensor.Tensor, part int) *tensor.Tensor {
	b, t, d := qkv.Dim(0), qkv.Dim(1), qkv.Dim(2)/3
	k := d / m.heads
	out := tensor.New(b, m.heads, t, k)
	for i := range out.Data {
		col, row := i%k, i/k%t
		head, batch := i/(k*t)%m.heads, i/(k*t*m.heads)
		out.Data[i] = qkv.At(batch, row, part*d+head*k+col)
	}
	return out
}

// join is the way back, into some of the columns of dst (B, T, …).
func (m *MultiHead) join(dst, heads *tensor.Tensor, from int) {
	t, k := heads.Dim(2), heads.Dim(3)
	for i, v := range heads.Data {
		dst.Set(v, i/(k*t*m.heads), i/k%t, from+i/(k*t)%m.heads*k+i%k)
	}
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	qkv := m.QKV.Forward(x)
	q := m.rope.Forward(nil, m.split(qkv, 0), positions)
	k := m.rope.Forward(nil, m.split(qkv, 1), positions)
	y := m.Attention.Forward(q, k, m.split(qkv, 2), Causal(x.Dim(1)))
	joined := tensor.New(x.Shape...)
	m.join(joined, y, 0)
	m.x, m.positions = x, positions
	return m.Output.Forward(joined)
}

func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Backward: x of Forward", m.x, tensor.Any, tensor.Any, d)
	tensor.CheckShape("MultiHead.Backward: dy", dy, m.x.Shape...)
	dHeads := tensor.New(m.x.Dim(0), m.heads, m.x.Dim(1), d/m.heads)
	dJoined := m.Output.Backward(dy)
	for i := range dHeads.Data {
		t, k := dHeads.Dim(2), dHeads.Dim(3)
		dHeads.Data[i] = dJoined.At(i/(k*t*m.heads), i/k%t, i/(k*t)%m.heads*k+i%k)
	}
	dq, dk, dv := m.Attention.Backward(dHeads)
	dQKV := tensor.New(m.x.Dim(0), m.x.Dim(1), 3*d)
	m.join(dQKV, m.rope.Backward(nil, dq, m.positions), 0)
	m.join(dQKV, m.rope.Backward(nil, dk, m.positions), d)
	m.join(dQKV, dv, 2*d)
	return m.QKV.Backward(dQKV)
}
