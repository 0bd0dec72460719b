//go:build mistake

package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// length-counts-calls: a call counts as one token, however many it reads
//
// Why: One token a call is the ordinary case, a prompt is not.
//
// Hint: lengths[row] += n
func (*Cache) read() {
	if right {
		c.lengths[s.row] += s.n
	} else {
		c.lengths[s.row]++
	}
}

// length-of-last-call: the length is that of the last call
//
// Why: What a row has read is the sum of all calls.
//
// Hint: lengths[row] += n
func (*Cache) read() {
	if right {
		c.lengths[s.row] += s.n
	} else {
		c.lengths[s.row] = s.n
	}
}

// length-stays: the length is never counted on
//
// Why: Then every call begins at 0 and writes over what was there.
//
// Hint: lengths[row] += n at the end of a call.
func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	} else {
	}
}

// length-of-all-rows: all rows are counted on by the longest piece of a call
//
// Why: Rows of a batch read different numbers of tokens, and some none.
//
// Hint: Each row's length grows by what that row read.
func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	} else {
		longest := 0
		for _, s := range c.spans {
			longest = max(longest, s.n)
		}
		for row := range c.lengths {
			c.lengths[row] = min(c.lengths[row]+longest, c.maxLen)
		}
	}
}

// length-for-every-layer: every block counts the length on
//
// Why: All blocks of a call write at the same places. The second would begin behind what the first one wrote.
//
// Hint: Count once, when all blocks are through.
func (*Cache) read() {
	if right {
		kernel.Add(x, x, c.attend(b.Attn, c.layers[l], b.Norm1.Forward(c.x)).Data)
		kernel.Add(x, x, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
	} else {
		for i := range c.spans {
			s := &c.spans[i]
			s.p = min(c.lengths[s.row], c.maxLen-s.n)
			s.mask = Mask(s.p, s.n)
		}
		kernel.Add(x, x, c.attend(b.Attn, c.layers[l], b.Norm1.Forward(c.x)).Data)
		kernel.Add(x, x, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	}
}

func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	} else {
	}
}

// beyond-the-end: a row's single new token attends to as many keys as the longest row has
//
// Why: Behind the end of a shorter row lie zeros, or what was there before a cut. A key of zeros takes a share
// of the softmax.
//
// Hint: Each row attends to its own p+n keys.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		end := p + n
		for _, other := range c.spans {
			if n == 1 {
				end = max(end, other.p+other.n)
			}
		}
		y := m.Attention.Forward(q, keys.Slice(0, end), values.Slice(0, end), s.mask)
	}
}

// whole-buffer: a single new token attends to all T_max places
//
// Why: What has not been written yet is not part of the text. A key of zeros takes a share of the softmax.
//
// Hint: Hand Attention the first p+n places.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		end := p + n
		if n == 1 {
			end = c.maxLen
		}
		y := m.Attention.Forward(q, keys.Slice(0, end), values.Slice(0, end), s.mask)
	}
}

// cut-forgotten: Truncate does nothing
//
// Why: The next text would go on behind the last one.
//
// Hint: Set the row's length to n.
func (*Cache) Truncate() {
	if right {
		c.lengths[row] = n
	} else {
	}
}

// cut-by-n: Truncate takes n tokens away instead of keeping n
//
// Why: n is what is left: Truncate(row, 0) empties the row.
//
// Hint: lengths[row] = n
func (*Cache) Truncate() {
	if right {
		c.lengths[row] = n
	} else {
		c.lengths[row] -= n
	}
}

// cut-one-more: Truncate takes one token too many
//
// Why: n tokens are kept, at the places 0 to n−1.
//
// Hint: lengths[row] = n
func (*Cache) Truncate() {
	if right {
		c.lengths[row] = n
	} else {
		c.lengths[row] = max(0, n-1)
	}
}

// cut-all-rows: Truncate cuts every row
//
// Why: The rows are texts of their own.
//
// Hint: lengths[row] = n
func (*Cache) Truncate() {
	if right {
		c.lengths[row] = n
	} else {
		for i := range c.lengths {
			c.lengths[i] = n
		}
	}
}

// cut-unchecked: Truncate takes any number
//
// Why: A length beyond what was read makes the next token attend to whatever lies there.
//
// Hint: Panic with an IndexError unless 0 ≤ n ≤ Len(row).
func (*Cache) Truncate() {
	if right {
		if n < 0 || n > c.lengths[row] {
			panic(tensor.IndexError{Op: "Cache.Truncate: n", Got: n, Limit: c.lengths[row] + 1})
		}
	} else {
		n = max(0, min(n, c.maxLen))
	}
}

// room-one-less: the last of the T_max places is never used
//
// Why: T_max tokens fit: the places 0 to T_max−1.
//
// Hint: An error if past+n > T_max.
func (*Cache) place() {
	if right {
		if p+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, p, n, c.maxLen)
		}
	} else {
		if p+n >= c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, p, n, c.maxLen)
		}
	}
}

// text-starts-over: a row that is full begins again at its start
//
// Why: Positions beyond T_max have no place, and the oldest tokens are not there to be overwritten unasked: the
// caller decides what is to be forgotten.
//
// Hint: Return an error before anything is written.
func (*Cache) place() {
	if right {
		if p+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, p, n, c.maxLen)
		}
	} else {
		if p+n > c.maxLen {
			c.lengths[row], p = 0, 0
			n = min(n, c.maxLen)
		}
	}
}

// counted-before-checked: a row is counted on before it is known whether all rows can be read
//
// Why: After an error everything is as before, or the text has a hole.
//
// Hint: First all checks, then all writing.
func (*Cache) place() {
	if right {
		c.spans = append(c.spans, s)
	} else {
		c.spans = append(c.spans, s)
		c.lengths[row] += n
	}
}

func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	} else {
	}
}
