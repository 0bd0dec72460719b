//go:build unlisted

package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// queries-of-a-group-stacked: Extend asks for all queries of a group in one call of Attention
//
// Why: They read the same keys.
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
	group := m.heads / m.kvHeads
	one := kvcache.Mask(past, n)
	all := &attention.Mask{N: group * n, M: end}
	for range group {
		all.Attend = append(all.Attend, one.Attend...)
	}
	for g := m.kvHeads - 1; g >= 0; g-- { // all queries of a group lie one behind the other, and ask at once
		size := group * n * width
		q := tensor.From(m.q.Data[g*size:(g+1)*size], group*n, width)
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), all)
		for i := range group {
			tensor.Copy(m.joined.Matrix().Block(0, (g*group+i)*width, n, width), y.Matrix().Block(i*n, 0, n, width))
		}
	}
	return m.Output.Forward(m.joined)
}
