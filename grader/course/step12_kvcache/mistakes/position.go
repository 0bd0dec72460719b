//go:build mistake

package kvcache

import "slices"

// positions-restart: every call begins at position 0 again
//
// Why: RoPE tells attention how far apart two tokens are. With positions that restart, the second
// call's tokens stand beside the first ones of the text.
//
// Hint: Token i of a call stands at past+i.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], i)
	}
}

// positions-stand-still: all new tokens of a call stand at the first new position
//
// Why: That is right for one token. In a prompt every token has a position of its own.
//
// Hint: past+i
func (*Cache) place() {
	if right {
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
	} else {
		for range n {
			c.positions[0] = append(c.positions[0], p)
		}
	}
}

// positions-one-less: behind the first call the positions are one too small
//
// Why: After p tokens, at the positions 0 to p−1, the next one stands at p.
//
// Hint: past+i, past being how many tokens the row has read.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], max(0, p-1)+i)
	}
}

// positions-one-more: behind the first call the positions are one too large
//
// Why: After p tokens, at the positions 0 to p−1, the next one stands at p. A gap between two calls is
// a distance that there is not in the text.
//
// Hint: past+i, past being how many tokens the row has read.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], min(p+i+min(p, 1), c.maxLen-1))
	}
}

// positions-of-batch: the new tokens of all rows are counted on, as if they were one row
//
// Why: Each row is a text of its own. Where the new tokens of a call lie in one tensor has nothing to
// do with where they stand in their texts.
//
// Hint: past+i, i counted from 0 in every row.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], min(p+first+i, c.maxLen-1))
	}
}

// positions-of-first-row: all rows stand where the first one does
//
// Why: Rows of different lengths go on at positions of their own.
//
// Hint: Take the length of the row: lengths[row]+i.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], min(c.lengths[0]+i, c.maxLen-1))
	}
}

// positions-of-longest-row: all rows stand where the longest one does
//
// Why: Rows of different lengths go on at positions of their own. What is shorter is not padded.
//
// Hint: Take the length of the row: lengths[row]+i.
func (*Cache) place() {
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		c.positions[0] = append(c.positions[0], min(slices.Max(c.lengths)+i, c.maxLen-1))
	}
}

// keys-not-turned: keys are stored as they are before RoPE, and never turned
//
// Why: A score needs both sides turned: the turned query times the turned key depends on the distance
// of the two.
//
// Hint: RoPE on q and on k, then store k.
func (*Cache) attend() {
	if right {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
	}
}

// queries-not-turned: queries are not turned by RoPE
//
// Why: A score needs both sides turned: the turned query times the turned key depends on the distance
// of the two.
//
// Hint: RoPE on q and on k.
func (*Cache) attend() {
	if right {
		c.q = c.rope.Forward(c.q, c.q, c.positions)
	} else {
	}
}

// rope-forgotten: neither queries nor keys are turned by RoPE
//
// Why: Without RoPE attention knows nothing about the order of the tokens.
//
// Hint: RoPE on q and on k, before the keys are stored.
func (*Cache) attend() {
	if right {
		c.q = c.rope.Forward(c.q, c.q, c.positions)
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
	}
}

// values-turned: values are turned by RoPE like the keys
//
// Why: Positions belong in the scores. The values are what is gathered, wherever it stands.
//
// Hint: RoPE on q and k only.
func (*Cache) attend() {
	if right {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
		c.v = c.rope.Forward(c.v, c.v, c.positions)
	}
}

// keys-turned-again: what is in the cache is turned once more in every call
//
// Why: A key is turned by the angle of its position once, when it is stored. Turned again it stands at
// twice its position, then at three times.
//
// Hint: RoPE on the new keys alone.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		if p > 0 {
			places := make([]int, p)
			for i := range places {
				places[i] = i
			}
			old := keys.Slice(0, p).Reshape(1, p, keys.Dim(1))
			c.rope.Forward(old, old, [][]int{places})
		}
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	}
}

// keys-turned-when-read: all keys are turned when they are read, the stored ones, which have been turned already, as well
//
// Why: A key is turned by the angle of its position once: when it is stored or when it is read, not both.
//
// Hint: RoPE on the new keys, before they are stored.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		all := keys.Slice(0, p+n).Clone()
		places := make([]int, p+n)
		for i := range places {
			places[i] = i
		}
		c.rope.Forward(all, all.Reshape(1, p+n, all.Dim(1)), [][]int{places})
		y := m.Attention.Forward(q, all.Reshape(p+n, -1), values.Slice(0, p+n), s.mask)
	}
}

// newest-position-for-all: all keys are turned by the position of the newest token when they are read
//
// Why: Then all keys seem to stand at one place, and attention knows no order. A key is turned by its own
// position.
//
// Hint: RoPE on the new keys, at their positions, before they are stored.
func (*Cache) attend() {
	if right {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
	}
}
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		all := keys.Slice(0, p+n).Clone()
		places := slices.Repeat([]int{p + n - 1}, p+n)
		c.rope.Forward(all, all.Reshape(1, p+n, all.Dim(1)), [][]int{places})
		y := m.Attention.Forward(q, all.Reshape(p+n, -1), values.Slice(0, p+n), s.mask)
	}
}
