package bpe

import (
	"bytes"
	"io"
)

// Encode returns the token ids of a text, which decode to it, whatever its bytes are.
// They are the caller's.
//
// Special tokens are cut out first: the leftmost, and of those that begin there the
// longest. The text between two of them is cut into pre-tokens as if it were all there
// is. Each pre-token begins as its bytes; as long as two neighbours are a pair that
// merges, the pair of the lowest rank, the leftmost of these, becomes one token.
//
// A pre-token of n bytes takes less than n² steps.
func (t *Tokenizer) Encode(text []byte) []int {
	ids := make([]int, 0, len(text)/3) // as many as prose has, or so
	collect := func(more []int) error { ids = append(ids, more...); return nil }
	_ = t.EncodeReader(bytes.NewReader(text), collect) // neither of the two fails
	return ids
}

// EncodeReader calls emit with the token ids of what r gives, some at a time and from
// left to right; all of them together are what Encode returns. ids are valid until emit
// returns.
//
// It holds no more in memory than the longest pre-token asks for, however long the text
// is. An error of r or emit is returned as it is, and nothing is emitted after it.
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	known := cache{}
	return t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			return emit([]int{id})
		}
		ids, ok := known[string(piece)]
		if !ok {
			ids = t.merge(piece)
			known.keep(piece, ids)
		}
		return emit(ids)
	})
}

// cache holds the ids of pre-tokens: a text says most of its words again and again.
type cache map[string][]int

const (
	cached      = 1 << 13 // pre-tokens
	cachedBytes = 64      // of a pre-token, at most
)

// keep remembers the ids of a pre-token, and forgets all others if there are too many.
func (c cache) keep(piece []byte, ids []int) {
	if len(piece) > cachedBytes {
		return
	}
	if len(c) == cached {
		clear(c)
	}
	c[string(piece)] = ids
}

// merge makes passes over the pre-token: each merges all places of the lowest pair.
func (t *Tokenizer) merge(piece []byte) []int {
	ids := make([]int, len(piece))
	for i, b := range piece {
		ids[i] = int(t.bytes[b])
	}
	for {
		lowest := [2]int{-1, -1}
		best := merged{rank: int32(len(t.Merges))}
		for i := 1; i < len(ids); i++ {
			if m, ok := t.merges[[2]int32{int32(ids[i-1]), int32(ids[i])}]; ok && m.rank < best.rank {
				lowest, best = [2]int{ids[i-1], ids[i]}, m
			}
		}
		if int(best.rank) == len(t.Merges) {
			return ids
		}
		ids = joined(ids, lowest, int(best.id))
	}
}
