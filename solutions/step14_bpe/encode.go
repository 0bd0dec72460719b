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
// returns, and emit does not change them.
//
// It holds no more in memory than the longest pre-token asks for, however long the text
// is. An error of r or emit is returned as it is, and nothing is emitted after it.
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	known, w := cache{}, word{t: t}
	return t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			return emit([]int{id})
		}
		ids, ok := known[string(piece)]
		if !ok {
			ids = w.merge(piece)
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

// word is a pre-token that is being merged: its tokens, linked to their neighbours, and
// the pairs that can merge. Its memory is used for one pre-token after another.
type word struct {
	t      *Tokenizer
	tokens []linked
	pairs  queue[pair]
}

// linked is a token and the places of its neighbours: prev is −1 at the first token, next
// the number of places at the last.
type linked struct{ id, prev, next int32 }

// gone is the id of a token that has become part of the one on its left.
const gone = -1

// merge returns the ids of a pre-token. Pairs wait in a heap, so that n bytes take about
// n·log n steps.
func (w *word) merge(piece []byte) []int {
	w.begin(piece)
	left := len(piece) // tokens
	for len(w.pairs.items) > 0 {
		p := w.pairs.pop()
		token := &w.tokens[p.at]
		if token.id == gone || int(token.next) == len(w.tokens) {
			continue // it has become part of another token, or the last one
		}
		next := &w.tokens[token.next]
		m, ok := w.t.merges[[2]int32{token.id, next.id}]
		if !ok || m.rank != p.rank {
			continue // one of the two was another token when it was found
		}
		token.id, next.id = m.id, gone
		token.next = next.next
		if int(token.next) < len(w.tokens) {
			w.tokens[token.next].prev = p.at
		}
		left--
		w.find(token.prev)
		w.find(p.at)
	}
	return w.ids(left)
}

// begin makes tokens of the bytes of a pre-token.
func (w *word) begin(piece []byte) {
	w.tokens = w.tokens[:0]
	for i, b := range piece {
		w.tokens = append(w.tokens, linked{w.t.bytes[b], int32(i) - 1, int32(i) + 1})
	}
	for i := range piece {
		w.find(int32(i))
	}
}

// find puts the pair whose left token is at a place into the heap, if it can merge.
func (w *word) find(at int32) {
	if at < 0 || int(w.tokens[at].next) == len(w.tokens) {
		return
	}
	if m, ok := w.t.merges[[2]int32{w.tokens[at].id, w.tokens[w.tokens[at].next].id}]; ok {
		w.pairs.push(pair{m.rank, at})
	}
}

// ids returns the ids of the tokens, n of them.
func (w *word) ids(n int) []int {
	ids := make([]int, 0, n)
	for _, l := range w.tokens {
		if l.id != gone {
			ids = append(ids, int(l.id))
		}
	}
	return ids
}

// pair is two neighbours that can merge.
type pair struct{ rank, at int32 }

// before reports whether p is merged first: it has the lower rank, or the same and is left
// of the other.
//
//lint:ignore U1000 queue calls it
func (p pair) before(q pair) bool {
	return p.rank < q.rank || p.rank == q.rank && p.at < q.at
}
