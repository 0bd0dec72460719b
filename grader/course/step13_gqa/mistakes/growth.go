//go:build mistake

package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// copied-for-every-token: Extend copies all keys and values before it attends to them
//
// Why: The result is right, and every token costs a copy of everything that was read, once for each head.
//
// Hint: A head's first past+n tokens lie one behind the other: a Slice of the buffer will do, for several heads as well.
func (*MultiHead) Extend() {
	if right {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask)
	} else {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end).Clone(), tokens(values, g, 0, end).Clone(), mask)
	}
}

// room-copied-for-every-call: Extend works in copies of the buffers and copies them back
//
// Why: keys and values are there to be written to. A token costs two copies of all the room that there is.
//
// Hint: Write the n new places into keys and values themselves.
func (*MultiHead) Extend() {
	if right {
		for g := range m.kvHeads {
			copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		}
	} else {
		m.keys = tensor.Reuse(m.keys, keys.Shape...)
		m.values = tensor.Reuse(m.values, values.Shape...)
		copy(m.keys.Data, keys.Data)
		copy(m.values.Data, values.Data)
		for g := range m.kvHeads {
			copy(tokens(m.keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(m.values, g, past, end).Data, head(m.v, 0, g))
		}
		copy(keys.Data, m.keys.Data)
		copy(values.Data, m.values.Data)
	}
}

// weights-copied-for-every-call: the weight of the projections is copied before it is used
//
// Why: The weights are read where they are. A copy of (D+2E)·D numbers costs more than a token does.
//
// Hint: QKV.Forward is all that is needed.
func (*MultiHead) project() {
	if right {
		qkv := m.QKV.Forward(x)
	} else {
		copy(m.QKV.Weight.Value.Data, m.QKV.Weight.Value.Clone().Data)
		qkv := m.QKV.Forward(x)
	}
}

// activations-kept: what every call of Extend has computed is kept
//
// Why: Only keys and values are read again, and they are the caller's. What a layer keeps beside them grows with the text.
//
// Hint: Use the memory of the last call again, as tensor.Reuse does.
func (*MultiHead) Extend() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.history = append(m.history, m.joined.Clone())
		return m.Output.Forward(m.joined)
	}
}

type MultiHead struct {
	QKV       *linear.Linear
	Output    *linear.Linear
	Attention attention.Attention

	heads, kvHeads int
	history        []*tensor.Tensor
	rope           *rope.RoPE
	mask           *attention.Mask
	positions      [][]int
	q              *tensor.Tensor
	k, v           *tensor.Tensor
	keys, values   *tensor.Tensor
	joined         *tensor.Tensor
	dHeads         *tensor.Tensor
	dk, dv         *tensor.Tensor
	dQKV           *tensor.Tensor
}

// sixteen-heads: which keys a head reads is written down for sixteen heads
//
// Why: Large models have 32 heads and more. The seventeenth reads what the first does.
//
// Hint: Compute the head as h/(H/H_kv), or make the list as long as there are heads.
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		var reads [16]int
		for i := range min(numHeads, len(reads)) {
			reads[i] = i / group
		}
		copy(head(dst, b, h), head(kv, b, reads[h%len(reads)]))
	}
}
