package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

type MultiHead struct {
	QKV, Output *linear.Linear
	Attention   Attention

	h, d      int
	rope      *rope.RoPE
	positions [][]int
}

func NewMultiHead(qkv, output *tensor.Param, numHeads int, r *rope.RoPE) *MultiHead {
	return &MultiHead{QKV: linear.New(qkv), Output: linear.New(output), h: numHeads, d: output.Value.Dim(0), rope: r}
}

func (m *MultiHead) Params() []*tensor.Param {
	w := m.QKV.Weight
	return []*tensor.Param{
		w.Slice("q_proj.weight", 0, m.d), w.Slice("k_proj.weight", m.d, 2*m.d), w.Slice("v_proj.weight", 2*m.d, 3*m.d),
		m.Output.Weight.Slice("output_proj.weight", 0, m.d),
	}
}

// each calls f for every number of a head: at its place in (B, H, T, K), and at
// its place in (B, T, D).
func (m *MultiHead) each(batch, seq int, f func(inHeads, inTokens int)) {
	k := m.d / m.h
	for i := range batch * seq * m.d {
		b, t, h, j := i/(seq*m.d), i/m.d%seq, i%m.d/k, i%k
		f(((b*m.h+h)*seq+t)*k+j, i)
	}
}

// third takes the columns of q, k or v out of (B, T, 3D).
func (m *MultiHead) third(qkv *tensor.Tensor, which int) *tensor.Tensor {
	out := tensor.New(qkv.Dim(0), m.h, qkv.Dim(1), m.d/m.h)
	m.each(qkv.Dim(0), qkv.Dim(1), func(inHeads, i int) {
		out.Data[inHeads] = qkv.Data[i/m.d*3*m.d+which*m.d+i%m.d]
	})
	return out
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, m.d)
	m.positions = positions
	qkv := m.QKV.Forward(x)
	q := m.rope.Forward(nil, m.third(qkv, 0), positions)
	k := m.rope.Forward(nil, m.third(qkv, 1), positions)
	y := m.Attention.Forward(q, k, m.third(qkv, 2), Causal(x.Dim(1)))
	joined := tensor.New(x.Shape...)
	m.each(x.Dim(0), x.Dim(1), func(inHeads, i int) { joined.Data[i] = y.Data[inHeads] })
	return m.Output.Forward(joined)
}

func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	batch, seq := dy.Dim(0), dy.Dim(1)
	dJoined := m.Output.Backward(dy)
	dHeads := tensor.New(batch, m.h, seq, m.d/m.h)
	m.each(batch, seq, func(inHeads, i int) { dHeads.Data[inHeads] = dJoined.Data[i] })
	dq, dk, dv := m.Attention.Backward(dHeads)
	dq, dk = m.rope.Backward(nil, dq, m.positions), m.rope.Backward(nil, dk, m.positions)
	dqkv := tensor.New(batch, seq, 3*m.d)
	for which, g := range []*tensor.Tensor{dq, dk, dv} {
		m.each(batch, seq, func(inHeads, i int) { dqkv.Data[i/m.d*3*m.d+which*m.d+i%m.d] = g.Data[inHeads] })
	}
	return m.QKV.Backward(dqkv)
}
