//go:build unlisted

package bpe

import (
	"bytes"
	"io"
)

// naive-when-short: naive when short
//
// Why: Pre-tokens of up to 48 bytes are merged by the plain rule: look through all pairs for the lowest rank, the leftmost, join, begin again; only longer ones take the linked list and the heap. Nothing is remembered between words at all. For short pre-tokens the steps are bounded by a constant and for long ones they are n·log n, so "A pre-token of n bytes takes less than n² steps" holds as it grows; all ids are those of the rule, and a Tokenizer is never written to after New.
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	w := word{t: t}
	return t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			return emit([]int{id})
		}
		if len(piece) <= short {
			return emit(t.mergeShort(piece))
		}
		return emit(w.merge(piece))
	})
}

const short = 48

func (t *Tokenizer) mergeShort(piece []byte) []int {
	var tokens [short]int32
	for i, b := range piece {
		tokens[i] = t.bytes[b]
	}
	n := len(piece)
	for {
		at, best := -1, merged{}
		for i := range max(0, n-1) {
			if m, ok := t.merges[[2]int32{tokens[i], tokens[i+1]}]; ok && (at < 0 || m.rank < best.rank) {
				at, best = i, m
			}
		}
		if at < 0 {
			break
		}
		tokens[at] = best.id
		copy(tokens[at+1:n-1], tokens[at+2:n])
		n--
	}
	ids := make([]int, n)
	for i := range ids {
		ids[i] = int(tokens[i])
	}
	return ids
}

func (c cache) keep(piece []byte, ids []int) { panic("nobody calls this") }
