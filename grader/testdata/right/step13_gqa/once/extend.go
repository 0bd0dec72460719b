package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Extend attends with all queries of a group at once, one behind the other.
func (m *MultiHead) Extend(x *tensor.Tensor, past int, keys, values *tensor.Tensor) *tensor.Tensor {
	d, width, n := m.Output.Weight.Value.Dim(0), m.width(), x.Dim(0)
	tensor.CheckShape("Extend: x", x, tensor.Any, d)
	tensor.CheckShape("Extend: keys", keys, m.kvHeads, tensor.Any, width)
	tensor.CheckShape("Extend: values", values, m.kvHeads, keys.Dim(1), width)
	room, end, group := keys.Dim(1), past+n, m.heads/m.kvHeads
	if past < 0 || end > room {
		panic(tensor.IndexError{Op: "Extend: the tokens end at, or begin at", Got: min(past, 0) + max(end, 0)*min(1, max(0, past+1)), Limit: room + 1})
	}
	positions := [][]int{{}}
	for p := past; p < end; p++ {
		positions[0] = append(positions[0], p)
	}
	m.project(x.Reshape(1, n, d), positions)
	all := tensor.New(n, d)
	mask := &attention.Mask{N: group * n, M: end}
	for range group {
		for i := range n {
			for j := range end {
				mask.Attend = append(mask.Attend, j-past <= i)
			}
		}
	}
	for g := range m.kvHeads {
		k, v := keys.Reshape(-1, width).Slice(g*room, g*room+end), values.Reshape(-1, width).Slice(g*room, g*room+end)
		copy(k.Data[past*width:], m.k.MatrixAt(g).Data[:n*width])
		copy(v.Data[past*width:], m.v.MatrixAt(g).Data[:n*width])
		q := m.q.Reshape(-1, width).Slice(g*group*n, (g+1)*group*n)
		y := m.Attention.Forward(q, k, v, mask).Reshape(group, n, width)
		for r := range group {
			tensor.Copy(all.Matrix().Block(0, (g*group+r)*width, n, width), y.MatrixAt(r))
		}
	}
	return m.Output.Forward(all)
}
