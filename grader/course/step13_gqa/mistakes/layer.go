//go:build mistake

package gqa

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
)

// keys-and-values-exchanged: the keys are read from the columns of the values, and the values from
// those of the keys
//
// Why: Columns D to D+E of qkv are the keys, D+E to D+2E the values.
//
// Hint: split at D for k and at D+E for v.
func (*MultiHead) project() {
	if right {
		m.k = split(m.k, qkv, d, m.kvHeads, m.width())
		m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	} else {
		m.k = split(m.k, qkv, d+e, m.kvHeads, m.width())
		m.v = split(m.v, qkv, d, m.kvHeads, m.width())
	}
}

// keys-and-values-exchanged/derivative-too
//
// With: keys-and-values-exchanged
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, m.dk, d)
		join(m.dQKV, m.dv, d+e)
	} else {
		join(m.dQKV, m.dv, d)
		join(m.dQKV, m.dk, d+e)
	}
}

// values-are-keys: the values are read from the columns of the keys
//
// Why: The columns D+E to D+2E of qkv are the values. E is H_kv·K.
//
// Hint: split at D+E for v.
func (*MultiHead) project() {
	if right {
		m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	} else {
		m.v = split(m.v, qkv, d+e-e, m.kvHeads, m.width())
	}
}

// keys-interleaved: key/value head g is given every H_kv-th column of its projection
//
// Why: Head g owns K columns in a row, g·K to (g+1)·K, as the heads of the queries do.
//
// Hint: Split (B, T, E) as (B, T, H_kv, K), not as (B, T, K, H_kv).
func (*MultiHead) project() {
	if right {
		m.k = split(m.k, qkv, d, m.kvHeads, m.width())
		m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	} else {
		m.k = splitInterleaved(m.k, qkv, d, m.kvHeads, m.width())
		m.v = splitInterleaved(m.v, qkv, d+e, m.kvHeads, m.width())
	}
}

func splitInterleaved(dst, src *tensor.Tensor, first, heads, width int) *tensor.Tensor {
	dst = tensor.Reuse(dst, src.Dim(0), heads, src.Dim(1), width)
	for b := range src.Dim(0) {
		for g := range heads {
			for t := range src.Dim(1) {
				for i := range width {
					dst.Set(src.At(b, t, first+i*heads+g), b, g, t, i)
				}
			}
		}
	}
	return dst
}

// split-by-all-heads: W_K and W_V are split into H heads
//
// Why: They have H_kv·K rows. H heads would be of E/H numbers each, and could not be compared with
// queries of K.
//
// Hint: K is D/H for all three. k and v have E/K = H_kv heads.
func (*MultiHead) project() {
	if right {
		m.k = split(m.k, qkv, d, m.kvHeads, m.width())
		m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	} else {
		m.k = split(m.k, qkv, d, m.heads, e/m.heads)
		m.v = split(m.v, qkv, d+e, m.heads, e/m.heads)
	}
}

// split-by-reshape: the keys and values are split into heads without a transposition
//
// Why: (B, T, H_kv, K) and (B, H_kv, T, K) hold the same numbers in another order. A reshape leaves the
// numbers where they are.
//
// Hint: Element [b, t, g, i] goes to [b, g, t, i].
func (*MultiHead) project() {
	if right {
		m.k = split(m.k, qkv, d, m.kvHeads, m.width())
		m.v = split(m.v, qkv, d+e, m.kvHeads, m.width())
	} else {
		m.k = splitInPlace(m.k, qkv, d, m.kvHeads, m.width())
		m.v = splitInPlace(m.v, qkv, d+e, m.kvHeads, m.width())
	}
}

func splitInPlace(dst, src *tensor.Tensor, first, heads, width int) *tensor.Tensor {
	dst = tensor.Reuse(dst, src.Dim(0), heads, src.Dim(1), width)
	for row := range src.Rows() {
		copy(dst.Data[row*heads*width:], src.Row(row)[first:first+heads*width])
	}
	return dst
}

// joined-by-reshape: the heads are joined without a transposition
//
// Why: (B, H, T, K) and (B, T, H, K) hold the same numbers in another order.
//
// Hint: Element [b, h, t, i] goes to [b, t, h·K + i].
func (*MultiHead) Forward() {
	if right {
		join(m.joined, heads, 0)
	} else {
		copy(m.joined.Data, heads.Data)
	}
}

// keys-not-turned: RoPE turns the queries only
//
// Why: A score needs both sides turned: then it depends on the distance of the two tokens.
//
// Hint: RoPE on q and on k, before k is repeated.
func (*MultiHead) project() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

// queries-not-turned: RoPE turns the keys only
//
// Why: A score needs both sides turned: then it depends on the distance of the two tokens.
//
// Hint: RoPE on q and on k.
func (*MultiHead) project() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
	} else {
	}
}

// values-turned: RoPE turns the values, too
//
// Why: RoPE turns what is compared, queries and keys. A value is only passed on.
//
// Hint: RoPE on q and k alone.
func (*MultiHead) project() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		m.v = m.rope.Forward(m.v, m.v, positions)
	}
}

// values-turned/derivative-too
//
// With: values-turned
func (*MultiHead) Backward() {
	if right {
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
	} else {
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
		m.dv = m.rope.Backward(m.dv, m.dv, m.positions)
	}
}

// not-causal: every token attends to all others
//
// Why: Every token sees the ones that it is supposed to predict. The loss of such a model falls
// wonderfully, and it can write nothing.
//
// Hint: attention.Causal(T) goes to Attention.Forward.
func (*MultiHead) Forward() {
	if right {
		heads := m.Attention.Forward(m.q, m.keys, m.values, m.mask)
	} else {
		heads := m.Attention.Forward(m.q, m.keys, m.values, nil)
	}
}

// scaled-by-all-keys: the scores are divided by √E, the width of all keys, instead of √K
//
// Why: A score is the sum of K products, however many heads of keys there are.
//
// Hint: The Attention of step 08 divides by √K. Nothing else is to be done.
func (*MultiHead) project() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
	} else {
		m.q = m.rope.Forward(m.q, m.q, positions)
		kernel.Scale(float32(1/math.Sqrt(float64(m.kvHeads))), m.q.Data)
	}
}

// scaled-by-all-keys/derivative-too
//
// With: scaled-by-all-keys
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
	} else {
		dq = m.rope.Backward(dq, dq, m.positions)
		kernel.Scale(float32(1/math.Sqrt(float64(m.kvHeads))), dq.Data)
	}
}

// keys-for-each-head: keys and values are computed for each head instead of once for its group
//
// Why: All results are right, and nothing is saved: that is the work of step 08.
//
// Hint: One product with W_QKV of D+2E rows. Repeat the keys and values, not the weights.
func (*MultiHead) project() {
	if right {
		qkv := m.QKV.Forward(x)
	} else {
		qkv := m.QKV.Forward(x)
		for range m.heads/m.kvHeads - 1 { // what the others of a group would compute is the same
			rows := m.QKV.Weight.Value.Slice(d, d+2*e)
			again := tensor.New(x.Dim(0)*x.Dim(1), 2*e)
			tensor.Mul(again.Matrix(), x.Reshape(-1, d).Matrix(), rows.Matrix().T())
		}
	}
}
