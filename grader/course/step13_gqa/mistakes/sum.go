//go:build mistake

package gqa

import "github.com/stubformer/stubformer/reference/kernel"

// groups-averaged: the gradients of a group are averaged instead of added up
//
// Why: Every head used its own copy fully: the loss changes by the sum of what each of them does.
// With the mean, keys and values learn H/H_kv times too slowly.
//
// Hint: Add, and do not divide.
func SumGroups() {
	if right {
		return dst
	} else {
		kernel.Scale(1/float32(group), dst.Data)
		return dst
	}
}

// groups-averaged/keys: the gradients of the keys are averaged over a group instead of added up
func (*MultiHead) Backward() {
	if right {
		m.dk = SumGroups(m.dk, dKeys, m.kvHeads)
	} else {
		m.dk = SumGroups(m.dk, dKeys, m.kvHeads)
		kernel.Scale(float32(m.kvHeads)/float32(m.heads), m.dk.Data)
	}
}

// groups-averaged/values: the gradients of the values are averaged over a group instead of added up
func (*MultiHead) Backward() {
	if right {
		m.dv = SumGroups(m.dv, dValues, m.kvHeads)
	} else {
		m.dv = SumGroups(m.dv, dValues, m.kvHeads)
		kernel.Scale(float32(m.kvHeads)/float32(m.heads), m.dv.Data)
	}
}

// last-head-only: only the last head of a group sends a gradient back
//
// Why: All heads of the group have read the same keys and values. Writing where one must add leaves the
// last of them.
//
// Hint: Set dst to zero, then add head after head.
func SumGroups() {
	if right {
		kernel.Add(sum, sum, head(d, b, h))
	} else {
		copy(sum, head(d, b, h))
	}
}

// first-head-only: only the first head of a group sends a gradient back
//
// Why: All heads of the group have read the same keys and values.
//
// Hint: Set dst to zero, then add head after head.
func SumGroups() {
	if right {
		kernel.Add(sum, sum, head(d, b, h))
	} else {
		if h%group == 0 {
			copy(sum, head(d, b, h))
		}
	}
}

// sum-not-cleared: the sums are added to what dst held before
//
// Why: A buffer that is used again holds the last result. The first call is right and every later one
// is not.
//
// Hint: dst.Zero() before the first head.
func SumGroups() {
	if right {
		dst.Zero()
	} else {
	}
}

// first-text-takes-all: the gradients of all texts of the batch go to the first
//
// Why: Each text attends to its own tokens.
//
// Hint: Group g of text b begins at (b·H_kv + g)·T·K.
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, 0, h/group)
	}
}

// dk-and-dv-exchanged: the gradients of keys and values lie in each other's columns of dQKV
//
// Why: Columns D to D+E of qkv are the keys, D+E to D+2E the values.
//
// Hint: join dk at D and dv at D+E.
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, m.dk, d)
		join(m.dQKV, m.dv, d+e)
	} else {
		join(m.dQKV, m.dv, d)
		join(m.dQKV, m.dk, d+e)
	}
}

// dk-not-turned-back: the gradient of the keys is not turned back
//
// Why: Forward turned the keys, a rotation; its derivative is the rotation the other way.
//
// Hint: RoPE.Backward for dq and for dk, at the positions of Forward.
func (*MultiHead) Backward() {
	if right {
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
	} else {
	}
}

// dq-not-turned-back: the gradient of the queries is not turned back
//
// Why: Forward turned the queries, a rotation; its derivative is the rotation the other way.
//
// Hint: RoPE.Backward for dq and for dk, at the positions of Forward.
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
	} else {
	}
}

// dv-turned-back: the gradient of the values is turned back, though the values were not turned
//
// Why: RoPE turns what is compared, queries and keys. A value is only passed on.
//
// Hint: RoPE.Backward for dq and dk alone.
func (*MultiHead) Backward() {
	if right {
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
	} else {
		m.dk = m.rope.Backward(m.dk, m.dk, m.positions)
		m.dv = m.rope.Backward(m.dv, m.dv, m.positions)
	}
}

// keys-without-gradient: W_K gets no gradient: the keys are taken for constants
//
// Why: Then the model never learns by what a token can be found.
//
// Hint: join dk into the columns D to D+E of dQKV.
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, m.dk, d)
	} else {
		m.dk.Zero()
		join(m.dQKV, m.dk, d)
	}
}
