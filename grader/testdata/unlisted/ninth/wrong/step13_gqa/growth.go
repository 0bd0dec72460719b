//go:build unlisted

package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// tables-copied-for-every-call: Extend works with a copy of RoPE's tables
//
// Why: a token needs one row of them. A call costs the copying of all positions that there are.
func (*MultiHead) Extend() {
	if right {
		m.project(x.Reshape(1, n, d), places(past, n))
	} else {
		m.rope = &rope.RoPE{Cos: m.rope.Cos.Clone(), Sin: m.rope.Sin.Clone()}
		m.project(x.Reshape(1, n, d), places(past, n))
	}
}

// keys-repeated-for-every-token: Extend repeats all keys and values for the heads that read them, in every call
//
// Why: a slice of the buffer will do for several heads. Every token copies everything that was read, H/H_kv times.
func (*MultiHead) Extend() {
	if right {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask) // (n, K)
	} else {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end).Clone(), tokens(values, g, 0, end).Clone(), mask)
	}
}

// prefix-projected-again: Extend keeps what it was given, and projects all of it again
//
// Why: keys and values of what was read are there. A token costs the projections of the whole text.
func (*MultiHead) Extend() {
	if right {
		m.project(x.Reshape(1, n, d), places(past, n))
	} else {
		if past == 0 || len(m.text) < past*d {
			m.text = make([]float32, past*d)
		}
		m.text = append(m.text[:past*d:past*d], x.Data...)
		m.project(tensor.From(m.text, 1, end, d), places(0, end))
		for h := range m.heads {
			copy(m.q.Data[h*n*width:], head(m.q, 0, h)[past*width:])
		}
		m.q = tensor.From(m.q.Data[:m.heads*n*width], 1, m.heads, n, width)
		for g := range m.kvHeads {
			copy(m.k.Data[g*n*width:], head(m.k, 0, g)[past*width:])
			copy(m.v.Data[g*n*width:], head(m.v, 0, g)[past*width:])
		}
		m.k = tensor.From(m.k.Data[:m.kvHeads*n*width], 1, m.kvHeads, n, width)
		m.v = tensor.From(m.v.Data[:m.kvHeads*n*width], 1, m.kvHeads, n, width)
	}
}

type MultiHead struct {
	QKV       *linear.Linear
	Output    *linear.Linear
	Attention attention.Attention

	heads, kvHeads int
	text           []float32
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

// heads-of-64: the columns of a head pass through an array of 64 numbers
//
// Why: heads of many models are 80 or 128 wide. Of these the columns from 64 on are 0, or what they were.
func split(dst, src *tensor.Tensor, first, heads, width int) *tensor.Tensor {
	batch, seq := src.Dim(0), src.Dim(1)
	dst = tensor.Reuse(dst, batch, heads, seq, width)
	for b := range batch {
		for h := range heads {
			for t := range seq {
				var row [64]float32
				n := copy(row[:], src.Row(b*seq + t)[first+h*width:first+(h+1)*width])
				copy(dst.Row((b*heads+h)*seq+t), row[:n])
			}
		}
	}
	return dst
}

// buffers-of-the-package: the joined heads of all layers are in one buffer of the package
//
// Why: two layers that work at the same time write over each other's heads.
func (*MultiHead) Extend() {
	if right {
		m.joined = tensor.Reuse(m.joined, n, d)
	} else {
		allJoined = tensor.Reuse(allJoined, n, d)
		m.joined = allJoined
	}
}

var allJoined *tensor.Tensor
