//go:build unlisted

package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// mask-cut-from-a-longer-one: the causal mask of the longest sequence is kept, and a shorter one takes its first T² entries
//
// Why: rows of the long mask are longer than T, so for T < the longest the rows are
// shifted: tokens see later ones, or not themselves. Only after a longer call.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil || len(m.mask.Attend) < seq*seq {
			m.mask = Causal(seq)
		}
		m.mask = &Mask{N: seq, M: seq, Attend: m.mask.Attend[:seq*seq]}
	}
}

// positions-kept-while-the-length-stays: the positions for Backward are taken over only if their shape changed
//
// Why: Backward turns dq and dk back by the positions of an earlier Forward; with
// other positions in the second call dx and the gradients are wrong.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if len(m.positions) != len(positions) || len(positions) > 0 && len(m.positions[0]) != len(positions[0]) {
			m.positions = positions
		}
	}
}

// causal-by-position: a token may attend to those whose position is not above its own
//
// Why: positions are meant for RoPE alone; with positions that repeat or go down,
// a token sees later tokens or misses earlier ones.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		m.mask = &Mask{N: seq, M: seq, Attend: make([]bool, 0, batch*m.heads*seq*seq)}
		for b := range batch {
			row := positions[min(b, len(positions)-1)]
			for range m.heads {
				for i := range seq {
					for j := range seq {
						m.mask.Attend = append(m.mask.Attend, row[j] <= row[i])
					}
				}
			}
		}
	}
}

// heads-not-joined: the result (B, H, T, K) is read as (B, T, D) without moving anything
//
// Why: with more than one head and more than one token y mixes heads and tokens;
// Backward splits as it should, so the gradients do not belong to this Forward either.
func (*MultiHead) Forward() {
	if right {
		m.joined = tensor.Reuse(m.joined, batch, seq, d)
		join(m.joined, heads, 0)
	} else {
		m.joined = heads.Reshape(batch, seq, d)
	}
}

// gradient-of-heads-reshaped: Backward reads dJoined as (B, H, T, K) without moving anything
//
// Why: Forward is right; dx and the gradients of W_QKV are wrong for H > 1 and T > 1.
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0) // (8)
	} else {
		m.dHeads = dJoined.Reshape(m.q.Shape...) // (8)
	}
}

// keys-not-turned-back: RoPE's Backward for dq only
//
// Why: the keys' gradient belongs to the turned keys; dx and the gradient of
// k_proj differ from a finite difference wherever a position is not 0.
func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions) // (10)
	} else {
	}
}

// keys-and-values-exchanged-in-dqkv: dv is joined to the keys' columns and dk to the values'
//
// Why: k_proj gets the gradient of v_proj and the other way round, and dx is wrong.
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dv, d)
		join(m.dQKV, dk, 2*d)
	}
}

// joined-shared-by-all-layers: the buffer of the joined heads is a variable of the package
//
// Why: after a Forward of layer A and one of layer B, the Backward of A finds B's
// heads in it, and the gradient of A's W_O is wrong. Goroutines with layers of
// their own write to the same memory.
func (*MultiHead) Forward() {
	if right {
		m.joined = tensor.Reuse(m.joined, batch, seq, d)
		join(m.joined, heads, 0)
		return m.Output.Forward(m.joined)
	} else {
		joinedHeads = tensor.Reuse(joinedHeads, batch, seq, d)
		join(joinedHeads, heads, 0)
		return m.Output.Forward(joinedHeads)
	}
}

var joinedHeads *tensor.Tensor // (B, T, D), reused by every Forward
