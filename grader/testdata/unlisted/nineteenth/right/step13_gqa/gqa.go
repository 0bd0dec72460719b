//go:build unlisted

package gqa

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// queries-as-rows: queries as rows
//
// Why: The queries of a group are read as more rows of one head: (B, H, T, K) is (B, H_kv, (H/H_kv)·T, K) in the same memory, with the causal mask once for each head of the group. Nothing is repeated, and Attention's own Backward adds up what the group sends back. Extend does the same with views of the buffers. The lesson allows it in words: "A program like that has full marks." Repeat and SumGroups are there as functions, and unchanged.
func (m *MultiHead) Extend(x *tensor.Tensor, past int, keys, values *tensor.Tensor) *tensor.Tensor {
	d, width := m.Output.Weight.Value.Dim(0), m.width()
	tensor.CheckShape("MultiHead.Extend: x", x, tensor.Any, d)
	tensor.CheckShape("MultiHead.Extend: keys", keys, m.kvHeads, tensor.Any, width)
	tensor.CheckShape("MultiHead.Extend: values", values, keys.Shape...)
	n, end, room := x.Dim(0), past+x.Dim(0), keys.Dim(1)
	if past < 0 {
		panic(tensor.IndexError{Op: "MultiHead.Extend: past", Got: past, Limit: room + 1})
	}
	if end > room {
		panic(tensor.IndexError{Op: "MultiHead.Extend: past + n", Got: end, Limit: room + 1})
	}

	m.project(x.Reshape(1, n, d), places(past, n))
	for g := range m.kvHeads {
		copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
	}

	m.joined = tensor.Reuse(m.joined, n, d)
	mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	mask = stacked(mask, group)
	for g := range m.kvHeads {
		q := m.q.Reshape(m.kvHeads, group*n, width).Slice(g, g+1).Reshape(group*n, width)
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask)
		for i := range group {
			to := m.joined.Matrix().Block(0, (g*group+i)*width, n, width)
			tensor.Copy(to, y.Matrix().Block(i*n, 0, n, width))
		}
	}
	return m.Output.Forward(m.joined)
}

type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads int // H, H_kv
	rope           *rope.RoPE
	mask           *attention.Mask // ((H/H_kv)·T, T), causal, for the T of the last Forward
	positions      [][]int         // what Forward was given
	q              *tensor.Tensor  // (B, H, T, K)
	k, v           *tensor.Tensor  // (B, H_kv, T, K)
	joined         *tensor.Tensor  // (B, T, D), the heads side by side
	dHeads         *tensor.Tensor  // (B, H, T, K)
	dQKV           *tensor.Tensor  // (B, T, D+2E)
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, seq, group := x.Dim(0), x.Dim(1), m.heads/m.kvHeads
	if m.mask == nil || m.mask.M != seq {
		m.mask = stacked(attention.Causal(seq), group)
	}

	m.project(x, positions)
	m.positions = positions
	heads := m.Attention.Forward(m.q.Reshape(batch, m.kvHeads, group*seq, m.width()), m.k, m.v, m.mask)

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads.Reshape(batch, m.heads, seq, m.width()), 0)
	return m.Output.Forward(m.joined)
}

func stacked(mask *attention.Mask, times int) *attention.Mask {
	all := &attention.Mask{N: times * mask.N, M: mask.M}
	for range times {
		all.Attend = append(all.Attend, mask.Attend...)
	}
	return all
}

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
	batch, seq := dy.Dim(0), dy.Dim(1)
	dq, dk, dv := m.Attention.Backward(m.dHeads.Reshape(batch, m.kvHeads, m.heads/m.kvHeads*seq, m.width())) // (3) and (4)
	dq = dq.Reshape(batch, m.heads, seq, m.width())
	dq = m.rope.Backward(dq, dq, m.positions) // (5)
	dk = m.rope.Backward(dk, dk, m.positions) // (5)

	m.dQKV = tensor.Reuse(m.dQKV, dy.Dim(0), dy.Dim(1), d+2*e)
	join(m.dQKV, dq, 0) // (6)
	join(m.dQKV, dk, d)
	join(m.dQKV, dv, d+e)
	return m.QKV.Backward(m.dQKV) // (7), and the gradient of W_QKV
}
