//go:build unlisted

package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// attends-to-all-the-room: Extend attends to all T_max places, of which those behind the end are masked
//
// Why: the result is the same. It costs more than it has to, of which no contract says how much that may be.
func (*MultiHead) Extend() {
	if right {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	} else {
		mask, group := &attention.Mask{N: n, M: room, Attend: make([]bool, n*room)}, m.heads/m.kvHeads
		for i := range n {
			for j := range past + i + 1 {
				mask.Attend[i*room+j] = true
			}
		}
	}
	if right {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask) // (n, K)
	} else {
		y := m.Attention.Forward(q, tokens(keys, g, 0, room), tokens(values, g, 0, room), mask)
	}
}

// forward-makes-new-buffers: every Forward allocates its heads anew
//
// Why: no contract forbids it. Every call leaves garbage of the size of all activations.
func (*MultiHead) Forward() {
	if right {
		m.joined = tensor.Reuse(m.joined, x.Shape...)
	} else {
		m.keys, m.values, m.q, m.k, m.v = m.keys.Clone(), m.values.Clone(), m.q.Clone(), m.k.Clone(), m.v.Clone()
		m.joined = tensor.New(x.Shape...)
	}
}
