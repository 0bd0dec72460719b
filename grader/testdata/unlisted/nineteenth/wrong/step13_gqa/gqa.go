//go:build unlisted

package gqa

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// backup-restore: backup restore
//
// Why: Extend keeps its promise about refusals by making copies of keys and values before it begins, and putting them back if anything panics. All results and all refusals are right, but every call, of a single token too, copies and allocates both buffers (H_kv, T_max, K) in full: work and memory grow with T_max, however little was read. It is wrong by the step's purpose ("A view of the buffer is what several heads read, and that is the point of it all"; H_kv heads lie in memory) and by "nor are keys and values [changed] but for the n places": only the n places need saving, or a check before.
func (m *MultiHead) Extend(x *tensor.Tensor, past int, keys, values *tensor.Tensor) *tensor.Tensor {
	d, width := m.Output.Weight.Value.Dim(0), m.width()
	tensor.CheckShape("MultiHead.Extend: x", x, tensor.Any, d)
	tensor.CheckShape("MultiHead.Extend: keys", keys, m.kvHeads, tensor.Any, width)
	tensor.CheckShape("MultiHead.Extend: values", values, keys.Shape...)
	n, end, room := x.Dim(0), past+x.Dim(0), keys.Dim(1)
	oldKeys, oldValues := keys.Clone(), values.Clone()
	defer func() {
		if p := recover(); p != nil {
			copy(keys.Data, oldKeys.Data)
			copy(values.Data, oldValues.Data)
			panic(p)
		}
	}()
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

// causal-map: causal map
//
// Why: Causal masks are shared by all layers through a package map by T, without a lock. Every number is right, and with one goroutine nothing is to be seen; layers of different models that run at the same time (the replicas of a training with several workers) read and write the map together: a data race, and now and then "fatal error: concurrent map writes". The map also keeps a mask of T² entries for every length that ever came. The stub gives each layer its own: "Yours: the causal mask, the positions and what else Backward needs".
type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads int // H, H_kv
	rope           *rope.RoPE
	positions      [][]int        // what Forward was given
	q              *tensor.Tensor // (B, H, T, K)
	k, v           *tensor.Tensor // (B, H_kv, T, K)
	keys, values   *tensor.Tensor // (B, H, T, K): k and v, once for every head that reads them
	joined         *tensor.Tensor // (B, T, D), the heads side by side
	dHeads         *tensor.Tensor // (B, H, T, K)
	dk, dv         *tensor.Tensor // (B, H_kv, T, K)
	dQKV           *tensor.Tensor // (B, T, D+2E)
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	m.project(x, positions)
	m.positions = positions
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	heads := m.Attention.Forward(m.q, m.keys, m.values, causal(x.Dim(1)))

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

var masks = map[int]*attention.Mask{}

func causal(seq int) *attention.Mask {
	mask, ok := masks[seq]
	if !ok {
		mask = attention.Causal(seq)
		masks[seq] = mask
	}
	return mask
}

// extend-repeats: extend repeats
//
// Why: Extend copies the past+n tokens of every key/value head once for each head that reads them, with Repeat, and calls Attention on (1, H, …) as Forward does. y, keys and values are right, but every new token copies the whole text H/H_kv times over, into scratch that is as large as the cache which groups were to save. The contract: "heads[h] = Attention(q[h], keys[g, :past+n], values[g, :past+n])", and the lesson: "Nothing is repeated here. A view of the buffer is what several heads read, and that is the point of it all".
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

	for _, t := range []**tensor.Tensor{&m.k, &m.v} {
		*t = tensor.Reuse(tensor.Reuse(*t, 1, m.kvHeads, room, width), 1, m.kvHeads, end, width)
	}
	m.keys = tensor.Reuse(m.keys, 1, m.heads, room, width)
	m.values = tensor.Reuse(m.values, 1, m.heads, room, width)
	for g := range m.kvHeads {
		copy(head(m.k, 0, g), tokens(keys, g, 0, end).Data)
		copy(head(m.v, 0, g), tokens(values, g, 0, end).Data)
	}
	m.keys = Repeat(m.keys, m.k, m.heads)
	m.values = Repeat(m.values, m.v, m.heads)
	heads := m.Attention.Forward(m.q, m.keys, m.values, kvcache.Mask(past, n)) // (1, H, n, K)
	m.joined = tensor.Reuse(m.joined, 1, n, d)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined).Reshape(n, d)
}

// gradient-over-keys: gradient over keys
//
// Why: Where every head has keys of its own (H_kv = H), Forward hands k and v to Attention without copying them, which is fine; Backward then writes dk and dv into the memory of k and v, "which nobody needs any more". Attention still holds them: a second Backward of the same Forward multiplies with gradients instead of keys and values. With groups, and with one Backward for each Forward, all is right. The contract: Backward "returns dx (B, T, D), adds to the gradients of QKV and Output, and belongs to the last Forward. dx is valid until the next Backward": a second call for the last Forward must give the same dx and the same gradients once more.
type MultiHead struct {
	QKV       *linear.Linear      // (D+2E, D): the queries' rows, then the keys', then the values'
	Output    *linear.Linear      // (D, D)
	Attention attention.Attention // of all heads; its Weights are (B, H, T, T)

	heads, kvHeads int // H, H_kv
	rope           *rope.RoPE
	mask           *attention.Mask // causal, for the T of the last Forward
	positions      [][]int         // what Forward was given
	q              *tensor.Tensor  // (B, H, T, K)
	k, v           *tensor.Tensor  // (B, H_kv, T, K), and their gradients
	keys, values   *tensor.Tensor  // (B, H, T, K): k and v, once for every head that reads them
	joined         *tensor.Tensor  // (B, T, D), the heads side by side
	dHeads         *tensor.Tensor  // (B, H, T, K)
	dQKV           *tensor.Tensor  // (B, T, D+2E)
}

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(0)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	if seq := x.Dim(1); m.mask == nil || m.mask.N != seq {
		m.mask = attention.Causal(seq)
	}

	m.project(x, positions)
	m.positions = positions
	keys, values := m.k, m.v
	if m.kvHeads < m.heads {
		m.keys, m.values = Repeat(m.keys, m.k, m.heads), Repeat(m.values, m.v, m.heads)
		keys, values = m.keys, m.values
	}
	heads := m.Attention.Forward(m.q, keys, values, m.mask)

	m.joined = tensor.Reuse(m.joined, x.Shape...)
	join(m.joined, heads, 0)
	return m.Output.Forward(m.joined)
}

func (m *MultiHead) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Each line undoes one line of Forward, from the last to the first.
	// (1) y is a Linear of joined:                dJoined = dy W_O
	// (2) joined is heads in another order:       dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, keys, values):     dq, dKeys, dValues = what step 08 gives
	// (4) keys[h] = k[⌊h/(H/H_kv)⌋]: k[g] was read by every h of its group, and what
	//     is read several times gets the sum:     dk[g]   = Σ dKeys[h] over the group
	//                                             dv[g]   = Σ dValues[h]
	// (5) RoPE had turned q and k:                dq, dk  = the same, turned back
	// (6) q, k and v are columns of qkv, split:   dQKV    = dq, dk, dv, joined side by side
	// (7) qkv is a Linear of x:                   dx      = dQKV W_QKV
	d, e := m.Output.Weight.Value.Dim(0), m.kvHeads*m.width()
	dJoined := m.Output.Backward(dy)                           // (1), and the gradient of W_O
	m.dHeads = split(m.dHeads, dJoined, 0, m.heads, m.width()) // (2)
	dq, dKeys, dValues := m.Attention.Backward(m.dHeads)       // (3)
	m.k = SumGroups(m.k, dKeys, m.kvHeads)                     // (4)
	m.v = SumGroups(m.v, dValues, m.kvHeads)                   // (4)
	dq = m.rope.Backward(dq, dq, m.positions)                  // (5)
	m.k = m.rope.Backward(m.k, m.k, m.positions)               // (5)

	m.dQKV = tensor.Reuse(m.dQKV, dy.Dim(0), dy.Dim(1), d+2*e)
	join(m.dQKV, dq, 0) // (6)
	join(m.dQKV, m.k, d)
	join(m.dQKV, m.v, d+e)
	return m.QKV.Backward(m.dQKV) // (7), and the gradient of W_QKV
}

// mask-field-shared: mask field shared
//
// Why: Extend keeps its mask in the layer's field mask, to use it again for the next call of the same size; Forward looks only at the mask's N. A Forward of T tokens after an Extend of T tokens behind some others finds a mask (T, past+T), and panics with a ShapeError about the mask although its arguments are right. Each method alone, and Forward with another T, is right. The contract of Forward: "It panics with a ShapeError if x or positions has the wrong shape"; nothing says that Extend stands in the way of a Forward, only "in the way of a Backward".
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
	if m.mask == nil || m.mask.N != n || m.mask.M != end {
		m.mask = kvcache.Mask(past, n)
	}
	group := m.heads / m.kvHeads
	for h := range m.heads {
		g := h / group
		q := tensor.From(head(m.q, 0, h), n, width)
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), m.mask) // (n, K)
		tensor.Copy(m.joined.Matrix().Block(0, h*width, n, width), y.Matrix())
	}
	return m.Output.Forward(m.joined)
}

// values-before-rope: values before rope
//
// Why: Extend takes q, k and v one after the other, and writes each where it belongs as soon as it is there: the values, which need no RoPE, before the queries and keys are turned. If a position is not in RoPE's tables although T_max has room for it, RoPE panics with the IndexError that is wanted, but n places of values have changed. The contract: "It panics … with an IndexError if past is negative, if past+n is more than T_max, or if a position is not in RoPE's tables. Then keys and values are as before."
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

	qkv, e, positions := m.QKV.Forward(x.Reshape(1, n, d)), m.kvHeads*width, places(past, n)
	m.v = split(m.v, qkv, d+e, m.kvHeads, width)
	for g := range m.kvHeads {
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
	}
	m.k = split(m.k, qkv, d, m.kvHeads, width)
	m.k = m.rope.Forward(m.k, m.k, positions)
	for g := range m.kvHeads {
		copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
	}
	m.q = split(m.q, qkv, 0, m.heads, width)
	m.q = m.rope.Forward(m.q, m.q, positions)

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
