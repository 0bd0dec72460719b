//go:build mistake

package gqa

// cache-tiled: in Extend head h reads head h mod H_kv of the cache
//
// Why: Forward gives head h the group ⌊h/(H/H_kv)⌋. A text would go on with other keys than it began
// with.
//
// Hint: h / (H/H_kv)
func (*MultiHead) Extend() {
	if right {
		g := h / group
	} else {
		g := h % (m.heads / group)
	}
}

// cache-head-0: in Extend every head reads head 0 of the cache
//
// Why: Every group has a head of its own in the cache.
//
// Hint: h / (H/H_kv)
func (*MultiHead) Extend() {
	if right {
		g := h / group
	} else {
		g := h / group * 0
	}
}

// cache-first-head-kept: only key/value head 0 is appended to the cache
//
// Why: All H_kv heads of keys and values are read later.
//
// Hint: Append in a loop over H_kv.
func (*MultiHead) Extend() {
	if right {
		for g := range m.kvHeads {
			copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		}
	} else {
		for g := range 1 {
			copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		}
	}
}

// positions-restart: every call of Extend begins at position 0 again
//
// Why: RoPE tells attention how far apart two tokens are. With positions that restart, the second
// call's tokens stand beside the first ones of the text.
//
// Hint: Token i of a call stands at past+i.
func places() {
	if right {
		row[i] = past + i
	} else {
		row[i] = i
	}
}

// positions-stand-still: all new tokens of a call stand at the first new position
//
// Why: That is right for one token. In a prompt every token has a position of its own.
//
// Hint: past+i
func places() {
	if right {
		row[i] = past + i
	} else {
		row[i] = past
	}
}

// mask-missing: new tokens see each other, the later ones too
//
// Why: A single token may see everything that there is. Of several, each may see those before it.
//
// Hint: kvcache.Mask(past, n)
func (*MultiHead) Extend() {
	if right {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	} else {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
		for i := range mask.Attend {
			mask.Attend[i] = true
		}
	}
}

// mask-top-left: the mask of a call is square and aligned at the top left
//
// Why: Query i of a call is token past+i of the text, and sees the keys 0 to past+i.
//
// Hint: kvcache.Mask(past, n)
func (*MultiHead) Extend() {
	if right {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	} else {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
		for i := range mask.Attend {
			mask.Attend[i] = i%end <= i/end
		}
	}
}

// newest-left-out: a token attends to those before it and not to itself
//
// Why: Append first, then attend: a token sees itself, in Forward as well.
//
// Hint: The keys of a call are the first past+n places.
func (*MultiHead) Extend() {
	if right {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	} else {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
		for i := range mask.Attend {
			mask.Attend[i] = i%end < past+i/end
		}
	}
}

// written-at-0: every call writes its keys and values to the beginning of the cache
//
// Why: The places 0 to past−1 are taken.
//
// Hint: The new tokens go to the places past to past+n−1.
func (*MultiHead) Extend() {
	if right {
		copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
	} else {
		copy(tokens(keys, g, 0, n).Data, head(m.k, 0, g))
		copy(tokens(values, g, 0, n).Data, head(m.v, 0, g))
	}
}

// keys-kept-unturned: the keys are kept as they are before RoPE, and never turned
//
// Why: A score needs both sides turned. A key is turned once, at its own position, and then kept.
//
// Hint: RoPE on k, then copy it to the cache.
func (*MultiHead) Extend() {
	if right {
		for g := range m.kvHeads {
			copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		}
	} else {
		m.k = m.rope.Backward(m.k, m.k, places(past, n))
		for g := range m.kvHeads {
			copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
			copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		}
	}
}

// all-places-read: a head attends to all places of the cache, the empty ones too
//
// Why: An empty place has a key of zeros, so its score is 0 and its weight e⁰ = 1 part of the sum.
// Zeros are not nothing.
//
// Hint: Slice the first past+n places.
func (*MultiHead) Extend() {
	if right {
		y := m.Attention.Forward(q, tokens(keys, g, 0, end), tokens(values, g, 0, end), mask)
	} else {
		all := kvcache.Mask(room-n, n)
		for i := range all.Attend {
			at := i % room
			all.Attend[i] = at >= end || mask.Attend[i/room*end+at]
		}
		y := m.Attention.Forward(q, tokens(keys, g, 0, room), tokens(values, g, 0, room), all)
	}
}

// room-not-checked: a call that goes beyond T_max writes into the next head's places
//
// Why: The heads lie one behind the other: what goes beyond the end of one overwrites the beginning of
// the next.
//
// Hint: past + n must be at most T_max. Find out before anything is written.
func (*MultiHead) Extend() {
	if right {
		if end > room {
			panic(tensor.IndexError{Op: "MultiHead.Extend: past + n", Got: end, Limit: room + 1})
		}
	} else {
	}
}
