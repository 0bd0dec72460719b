//go:build mistake

package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step09_block"
)

// length-counts-calls: a call counts as one token, however many it reads
//
// Why: One token a call is the ordinary case, a prompt is not.
//
// Hint: lengths[row] += n
func (*Cache) read() {
	if right {
		c.lengths[p.row] += p.n
	} else {
		c.lengths[p.row]++
	}
}

// length-of-last-call: the length is that of the last call
//
// Why: What a row has read is the sum of all calls.
//
// Hint: lengths[row] += n
func (*Cache) read() {
	if right {
		c.lengths[p.row] += p.n
	} else {
		c.lengths[p.row] = p.n
	}
}

// length-stays: the length is never counted on
//
// Why: Then every call begins at 0 and writes over what was there.
//
// Hint: lengths[row] += n at the end of a call.
func (*Cache) read() {
	if right {
		for _, p := range c.pieces {
			c.lengths[p.row] += p.n
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
		for _, p := range c.pieces {
			c.lengths[p.row] += p.n
		}
	} else {
		longest := 0
		for _, p := range c.pieces {
			longest = max(longest, p.n)
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
func (c *Cache) block(b *block.Block, l layer) {
	for i := range c.pieces {
		c.pieces[i].past = min(c.lengths[c.pieces[i].row], c.maxLen-c.pieces[i].n)
		c.pieces[i].mask = Mask(c.pieces[i].past, c.pieces[i].n)
	}
	x := c.attend(b.Attn, l, b.Norm1.Forward(c.x))
	for i := range c.x.Data {
		c.x.Data[i] += x.Data[i]
	}
	x = b.FFN.Forward(b.Norm2.Forward(c.x))
	for i := range c.x.Data {
		c.x.Data[i] += x.Data[i]
	}
	for _, p := range c.pieces {
		c.lengths[p.row] += p.n
	}
}

func (*Cache) read() {
	if right {
		for _, p := range c.pieces {
			c.lengths[p.row] += p.n
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
func (*Cache) head() {
	if right {
		keys, values := c.tokens(l.keys, p, h, 0, p.past+p.n), c.tokens(l.values, p, h, 0, p.past+p.n)
	} else {
		end := p.past + p.n
		for _, other := range c.pieces {
			if p.n == 1 {
				end = max(end, other.past+other.n)
			}
		}
		keys, values := c.tokens(l.keys, p, h, 0, end), c.tokens(l.values, p, h, 0, end)
	}
}

// whole-buffer: a single new token attends to all T_max places
//
// Why: What has not been written yet is not part of the text. A key of zeros takes a share of the softmax.
//
// Hint: Hand Attention the first p+n places.
func (*Cache) head() {
	if right {
		keys, values := c.tokens(l.keys, p, h, 0, p.past+p.n), c.tokens(l.values, p, h, 0, p.past+p.n)
	} else {
		end := p.past + p.n
		if p.n == 1 {
			end = c.maxLen
		}
		keys, values := c.tokens(l.keys, p, h, 0, end), c.tokens(l.values, p, h, 0, end)
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
		if past+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, past, n, c.maxLen)
		}
	} else {
		if past+n >= c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, past, n, c.maxLen)
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
		if past+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, past, n, c.maxLen)
		}
	} else {
		if past+n > c.maxLen {
			c.lengths[row], past = 0, 0
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
		c.pieces = append(c.pieces, p)
	} else {
		c.pieces = append(c.pieces, p)
		c.lengths[row] += n
	}
}

func (*Cache) read() {
	if right {
		for _, p := range c.pieces {
			c.lengths[p.row] += p.n
		}
	} else {
	}
}
