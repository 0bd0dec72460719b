package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// Extend reads n more tokens x (n, D) of a text of which past were read before, and
// returns y (n, D): what Forward returns for them in the whole text at the positions
// 0, 1, …. keys and values (H_kv, T_max, K) hold what was computed of the past tokens,
// in their first past places, keys after RoPE:
//
//	q, k, v           = as in Forward, at the positions past, …, past+n−1
//	keys[g, past:]    = k[g],  values[g, past:] = v[g]              for each g of H_kv
//	heads[h]          = Attention(q[h], keys[g, :past+n], values[g, :past+n])
//	                    with g = ⌊h/(H/H_kv)⌋, masked by kvcache.Mask(past, n)
//	y                 = (heads, joined to (n, D)) W_Oᵀ
//
// It uses the layer's buffers and so stands in the way of a Backward. y is valid until
// the layer is used again. x is not changed, nor are keys and values but for the n
// places.
//
// It panics with a ShapeError if x is not (n, D) or keys and values are not both
// (H_kv, T_max, K), and with an IndexError if past is negative, if past+n is more than
// T_max, or if a position is not in RoPE's tables. Then keys and values are as before.
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
	for h := range m.heads {
		g := h / group
		q := tensor.From(head(m.q, 0, h), n, width)
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask) // (n, K)
		tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
	}
	return m.Output.Forward(m.joined)
}

// places returns the positions past, …, past+n−1, as one row.
func places(past, n int) [][]int {
	row := make([]int, n)
	for i := range row {
		row[i] = past + i
	}
	return [][]int{row}
}

// tokens returns the tokens from to to of head g in half of a cache (H_kv, T_max, K),
// as (to−from, K).
func tokens(half *tensor.Tensor, g, from, to int) *tensor.Tensor {
	first := g * half.Dim(1)
	return half.SliceRows(first+from, first+to)
}
