//go:build unlisted

package gqa

import "github.com/stubformer/stubformer/reference/kernel"

// output-gradient-lost: the heads of all but the first group get no gradient
//
// Why: A loop ends too early.
func (*MultiHead) Backward() {
	if right {
		m.dHeads = split(m.dHeads, dJoined, 0, m.heads, m.width())
	} else {
		m.dHeads = split(m.dHeads, dJoined, 0, m.heads, m.width())
		for h := m.heads / m.kvHeads; h < m.heads; h++ {
			clear(head(m.dHeads, 0, h))
		}
	}
}

// keys-turned-after-repeat-by-head: keys are turned by the number of the head besides
//
// Why: positions are shifted for group 1.
func (*MultiHead) project() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		if m.kvHeads > 1 {
			copy(head(m.k, 0, 1)[:1], head(m.k, 0, 0)[:1])
		}
	}
}

// values-scaled-by-group: the values of a group are shared out, each head gets its part
//
// Why: The values are divided by the size of a group.
func (*MultiHead) Forward() {
	if right {
		m.values = Repeat(m.values, m.v, m.heads)
	} else {
		m.values = Repeat(m.values, m.v, m.heads)
		kernel.Scale(float32(m.kvHeads)/float32(m.heads), m.values.Data)
	}
}

// mask-kept: the mask of the first call is kept for all
//
// Why: It has another size later.
func (*MultiHead) Forward() {
	if right {
		if seq := x.Dim(1); m.mask == nil || m.mask.N != seq {
			m.mask = attention.Causal(seq)
		}
	} else {
		if seq := x.Dim(1); m.mask == nil || m.mask.N < seq {
			m.mask = attention.Causal(seq)
		}
	}
}

// keys-before-check: keys are written before the room is checked
//
// Why: Half a call.
func (*MultiHead) Extend() {
	if right {
		m.project(x.Reshape(1, n, d), places(past, n))
	} else {
		clear(tokens(keys, 0, past, min(end, room)).Data)
		m.project(x.Reshape(1, n, d), places(past, n))
	}
}

// last-place-dirty: Extend clears the place behind the last token
//
// Why: It is not among the n places.
func (*MultiHead) Extend() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		if end < room {
			tokens(keys, 0, end, end+1).Data[0] = 1
		}
		return m.Output.Forward(m.joined)
	}
}

// sum-skips-one: a group of more than three heads loses the fourth
//
// Why: The loop is unrolled wrongly.
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
		kernel.Add(sum, sum, head(d, b, h))
	} else {
		if h%group == 3 {
			continue
		}
		sum := head(dst, b, h/group)
		kernel.Add(sum, sum, head(d, b, h))
	}
}

// one-head-fast-path: with one head of keys the first text's are used for all
//
// Why: A shortcut for multi-query attention.
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		if kvHeads == 1 {
			copy(head(dst, b, h), head(kv, 0, 0))
			continue
		}
		copy(head(dst, b, h), head(kv, b, h/group))
	}
}

// sizes-unchecked: a number of heads that does not divide is rounded down
//
// Why: groupSize is not checked.
func groupSize() {
	if right {
		if heads <= 0 || kvHeads <= 0 || heads%kvHeads != 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("%s: %d heads do not divide into %d groups", op, heads, kvHeads), Got: t.Shape})
		}
	} else {
		if heads <= 0 || kvHeads <= 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("%s: %d heads do not divide into %d groups", op, heads, kvHeads), Got: t.Shape})
		}
	}
}

// positions-behind: Extend turns the new tokens as if one more had been read
//
// Why: past counts from 1.
func places() {
	if right {
		row[i] = past + i
	} else {
		row[i] = past + i + min(past, 1)
	}
}
