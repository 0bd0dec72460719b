//go:build unlisted

package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// repeated-for-every-token: Extend repeats all keys and values that were read
//
// Why: A slice of them is what several heads can read.
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
	mask := kvcache.Mask(past, n)
	m.k = tensor.Reuse(m.k, 1, m.kvHeads, end, width)
	m.v = tensor.Reuse(m.v, 1, m.kvHeads, end, width)
	for g := range m.kvHeads {
		copy(head(m.k, 0, g), tokens(keys, g, 0, end).Data)
		copy(head(m.v, 0, g), tokens(values, g, 0, end).Data)
	}
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	for h := range m.heads {
		q := tensor.From(head(m.q, 0, h), n, width)
		y := m.Attention.Forward(q, tensor.From(head(m.keys, 0, h), end, width), tensor.From(head(m.values, 0, h), end, width), mask) // (n, K)
		tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
	}
	return m.Output.Forward(m.joined)
}

// all-the-room-saved: Extend copies the buffers, to have them back if something panics
//
// Why: Every token costs all the room that there is.
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

	m.oldKeys = tensor.Reuse(m.oldKeys, keys.Shape...)
	m.oldValues = tensor.Reuse(m.oldValues, values.Shape...)
	copy(m.oldKeys.Data, keys.Data)
	copy(m.oldValues.Data, values.Data)
	done := false
	defer func() {
		if !done { // something panics: all is as before
			copy(keys.Data, m.oldKeys.Data)
			copy(values.Data, m.oldValues.Data)
		}
	}()

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
	y := m.Output.Forward(m.joined)
	done = true
	return y
}

type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads     int // H, H_kv
	rope               *rope.RoPE
	mask               *attention.Mask // causal, for the T of the last Forward
	positions          [][]int         // what Forward was given
	q                  *tensor.Tensor  // (B, H, T, K)
	k, v               *tensor.Tensor  // (B, H_kv, T, K)
	keys, values       *tensor.Tensor  // (B, H, T, K): k and v, once for every head that reads them
	oldKeys, oldValues *tensor.Tensor
	joined             *tensor.Tensor // (B, T, D), the heads side by side
	dHeads             *tensor.Tensor // (B, H, T, K)
	dk, dv             *tensor.Tensor // (B, H_kv, T, K)
	dQKV               *tensor.Tensor // (B, T, D+2E)
}

// masks-kept-by-size: every mask that was made is kept in a map
//
// Why: No text meets the same past twice: the map grows as long as a text is read.
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
	mask := masks[[2]int{past, n}]
	if mask == nil {
		mask = kvcache.Mask(past, n)
		masks[[2]int{past, n}] = mask
	}
	for h := range m.heads {
		g := h / group
		q := tensor.From(head(m.q, 0, h), n, width)
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask) // (n, K)
		tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
	}
	return m.Output.Forward(m.joined)
}

var masks = map[[2]int]*attention.Mask{}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	if seq := x.Dim(1); true {
		m.mask = masks[[2]int{0, seq}]
		if m.mask == nil {
			m.mask = attention.Causal(seq)
			masks[[2]int{0, seq}] = m.mask
		}
	}

	m.project(x, positions)
	m.positions = positions
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	heads := m.Attention.Forward(m.q, m.keys, m.values, m.mask)

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

// keys-trusted-by-their-pointer: Extend trusts its own copies of the keys and values as long as the buffer is the same one
//
// Why: The buffers are the caller's, who may load another text into them.
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
	// The repeated heads stay from call to call; a call that goes on adds its tokens.
	from := past
	if m.seen != keys || m.seenEnd != past {
		from = 0
	}
	m.keys = tensor.Reuse(m.keys, 1, m.heads, room, width)
	m.values = tensor.Reuse(m.values, 1, m.heads, room, width)
	m.seen, m.seenEnd = keys, end
	mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	for h := range m.heads {
		allK, allV := head(m.keys, 0, h), head(m.values, 0, h)
		copy(allK[from*width:], tokens(keys, h/group, from, end).Data)
		copy(allV[from*width:], tokens(values, h/group, from, end).Data)
		q := tensor.From(head(m.q, 0, h), n, width)
		y := m.Attention.Forward(q, tensor.From(allK[:end*width], end, width), tensor.From(allV[:end*width], end, width), mask) // (n, K)
		tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
	}
	return m.Output.Forward(m.joined)
}

type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads int // H, H_kv
	rope           *rope.RoPE
	mask           *attention.Mask // causal, for the T of the last Forward
	positions      [][]int         // what Forward was given
	q              *tensor.Tensor  // (B, H, T, K)
	k, v           *tensor.Tensor  // (B, H_kv, T, K)
	keys, values   *tensor.Tensor  // (B, H, T, K): k and v, once for every head that reads them
	seen           *tensor.Tensor
	seenEnd        int
	joined         *tensor.Tensor // (B, T, D), the heads side by side
	dHeads         *tensor.Tensor // (B, H, T, K)
	dk, dv         *tensor.Tensor // (B, H_kv, T, K)
	dQKV           *tensor.Tensor // (B, T, D+2E)
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	if seq := x.Dim(1); m.mask == nil || m.mask.N != seq {
		m.mask = attention.Causal(seq)
	}

	m.seen = nil
	m.project(x, positions)
	m.positions = positions
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	heads := m.Attention.Forward(m.q, m.keys, m.values, m.mask)

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

// positions-of-a-table: the positions come from a table of 512
//
// Why: A longer text panics.
func places(past, n int) [][]int {
	return [][]int{table[past : past+n]}
}

var table = func() (t [512]int) {
	for i := range t {
		t[i] = i
	}
	return t
}()
