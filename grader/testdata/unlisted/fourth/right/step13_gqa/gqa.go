//go:build unlisted

package gqa

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// turned-back-before-the-sum: Backward turns the gradients of all repeated keys back and only then adds them up; Repeat and SumGroups go by the indexes and sum in float64
//
// Why: turning is linear and the heads of a group share their positions, so the sum of what was turned is the sum, turned.
func (*MultiHead) Backward() {
	if right {
		m.dk = SumGroups(m.dk, dKeys, m.kvHeads)
		m.dv = SumGroups(m.dv, dValues, m.kvHeads)
		dq = m.rope.Backward(dq, dq, m.positions)
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
	} else {
		dq = m.rope.Backward(nil, dq, m.positions)
		m.dk = SumGroups(nil, m.rope.Backward(nil, dKeys, m.positions), m.kvHeads)
		m.dv = SumGroups(nil, dValues, m.kvHeads)
	}
}

func Repeat(dst, kv *tensor.Tensor, numHeads int) *tensor.Tensor {
	tensor.CheckShape("gqa.Repeat: kv", kv, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	b, kvHeads, seq, width := kv.Dim(0), kv.Dim(1), kv.Dim(2), kv.Dim(3)
	group := groupSize("gqa.Repeat: kv", kv, numHeads, kvHeads)
	dst = tensor.Reuse(dst, b, numHeads, seq, width)
	for at := range dst.Data {
		i, t, h, row := at%width, at/width%seq, at/width/seq%numHeads, at/width/seq/numHeads
		dst.Data[at] = kv.At(row, h/group, t, i)
	}
	return dst
}

func SumGroups(dst, d *tensor.Tensor, numKVHeads int) *tensor.Tensor {
	tensor.CheckShape("gqa.SumGroups: d", d, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	b, heads, seq, width := d.Dim(0), d.Dim(1), d.Dim(2), d.Dim(3)
	group := groupSize("gqa.SumGroups: d", d, heads, numKVHeads)
	dst = tensor.Reuse(dst, b, numKVHeads, seq, width)
	for at := range dst.Data {
		i, t, g, row := at%width, at/width%seq, at/width/seq%numKVHeads, at/width/seq/numKVHeads
		sum := 0.0
		for h := (g+1)*group - 1; h >= g*group; h-- {
			sum += float64(d.At(row, h, t, i))
		}
		dst.Data[at] = float32(sum)
	}
	return dst
}

// extends-by-one-token-at-a-time: Extend checks everything, reads its tokens one by one and puts the heads together for one last product
//
// Why: a token sees what came before and itself, so n tokens read one by one are n tokens read at once.
func (*MultiHead) Extend() {
	if right {
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
			y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask)
			tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
		}
		return m.Output.Forward(m.joined)
	} else {
		if limit := m.rope.Cos.Dim(0); end > limit && n > 0 {
			panic(tensor.IndexError{Op: fmt.Sprintf("MultiHead.Extend: position %d", end-1), Got: max(past, limit), Limit: limit})
		}
		joined := tensor.New(n, d)
		for i := range n {
			at := past + i
			m.project(x.Slice(i, i+1).Reshape(1, 1, d), places(at, 1))
			for h := range m.heads {
				g := h * m.kvHeads / m.heads
				copy(tokens(keys, g, at, at+1).Data, head(m.k, 0, g))
				copy(tokens(values, g, at, at+1).Data, head(m.v, 0, g))
				q := tensor.From(head(m.q, 0, h), 1, width)
				y := m.Attention.Forward(q, tokens(keys, g, 0, at+1), tokens(values, g, 0, at+1), kvcache.Mask(at, 1))
				copy(joined.Row(i)[h*width:], y.Data)
			}
		}
		return m.Output.Forward(joined)
	}
}
