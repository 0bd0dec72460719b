//go:build mistake

package bpe

import (
	"bytes"
)

// longest-first: of two pairs, the one that makes the longer token is merged first
//
// Why: A vocabulary is a list of merges, not a dictionary: what was learnt first is done first.
// Longest match gives other tokens than those that the model was trained on.
//
// Hint: The lowest rank first, the leftmost of equals.
func (w *word) merge(piece []byte) []int {
	var ids []int
	for len(piece) > 0 {
		n := len(piece)
		for {
			if id, ok := w.t.ids[string(piece[:n])]; ok {
				ids = append(ids, id)
				break
			}
			n--
		}
		piece = piece[n:]
	}
	return ids
}

// left-to-right: pairs are merged from left to right, whatever their rank
//
// Why: With the merges (b, c) and (a, b), in this order, abc is (a, bc). From left to right it would be
// (ab, c).
//
// Hint: Look at all pairs, and take the one with the lowest rank.
func (pair) before() {
	if right {
		return p.rank < q.rank || p.rank == q.rank && p.at < q.at
	} else {
		return p.at < q.at || p.at == q.at && p.rank < q.rank
	}
}

// highest-rank-first: the pair that was learnt last is merged first
//
// Why: Ranks count from the most frequent pair on. What was learnt later was learnt from a text in
// which the earlier merges had been made.
//
// Hint: The lowest rank first.
func (pair) before() {
	if right {
		return p.rank < q.rank || p.rank == q.rank && p.at < q.at
	} else {
		return p.rank > q.rank || p.rank == q.rank && p.at < q.at
	}
}

// rightmost-first: of equal pairs, the rightmost is merged first
//
// Why: aaa is (aa, a), as in training, and not (a, aa).
//
// Hint: Of equal ranks the leftmost.
func (pair) before() {
	if right {
		return p.rank < q.rank || p.rank == q.rank && p.at < q.at
	} else {
		return p.rank < q.rank || p.rank == q.rank && p.at > q.at
	}
}

// unseen-pairs-first: a pair that is in no merge is taken for the first of them
//
// Why: A map gives 0 for what it does not hold, and 0 is the rank of the first merge.
//
// Hint: Ask the map for its second result, which says whether the pair is there.
func (*word) find() {
	if right {
		if m, ok := w.t.merges[[2]int32{w.tokens[at].id, w.tokens[w.tokens[at].next].id}]; ok {
			w.pairs.push(pair{m.rank, at})
		}
	} else {
		m := w.t.merges[[2]int32{w.tokens[at].id, w.tokens[w.tokens[at].next].id}]
		w.pairs.push(pair{m.rank, at})
	}
}

func (*word) merge() {
	if right {
		m, ok := w.t.merges[[2]int32{token.id, next.id}]
		if !ok || m.rank != p.rank {
			continue
		}
	} else {
		m := w.t.merges[[2]int32{token.id, next.id}]
		if m.rank != p.rank {
			continue
		}
	}
}

// stale-pairs: a pair is merged although one of its two has become part of another token
//
// Why: After a merge, the pairs of its neighbours that wait in the heap are no longer true.
//
// Hint: When a pair comes out of the heap, look whether the two are still what they were.
func (*word) merge() {
	if right {
		if !ok || m.rank != p.rank {
			continue
		}
	} else {
		if !ok {
			continue
		}
	}
}

// left-neighbour-forgotten: after a merge, the pair with the left neighbour is not looked for
//
// Why: A new token makes new pairs on both sides.
//
// Hint: Look up the pair that ends in the new token as well.
func (*word) merge() {
	if right {
		w.find(token.prev)
	} else {
	}
}

// right-neighbour-forgotten: after a merge, the pair with the right neighbour is not looked for
//
// Why: A new token makes new pairs on both sides.
//
// Hint: Look up the pair that begins with the new token as well.
func (*word) merge() {
	if right {
		w.find(p.at)
	} else {
	}
}

// one-round: a token that a merge has made is not merged again
//
// Why: Then no token is longer than two bytes. The merges go on until no pair is in the list.
//
// Hint: After a merge, look up the pairs of the new token with both neighbours.
func (*word) merge() {
	if right {
		w.find(token.prev)
		w.find(p.at)
	} else {
	}
}

// ids-are-bytes: the id of a byte is taken to be its value
//
// Why: It is so in a vocabulary that Train has learnt. In GPT-2's the byte 33 has the id 0, and 32 the
// id 220.
//
// Hint: Look up the token whose bytes are this one byte.
func (*word) begin() {
	if right {
		w.tokens = append(w.tokens, linked{w.t.bytes[b], int32(i) - 1, int32(i) + 1})
	} else {
		w.tokens = append(w.tokens, linked{int32(b), int32(i) - 1, int32(i) + 1})
	}
}

// special-as-text: special tokens are encoded like other text
//
// Why: "<|end|>" would be seven tokens or so, which the model has hardly ever seen, and the end of a
// text would go unnoticed.
//
// Hint: Cut them out before the text is cut into pre-tokens.
func (*Tokenizer) EncodeReader() {
	if right {
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
	} else {
		return (&specials{}).cut(r, func(piece []byte, id int) error {
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
}

// special-merged: special tokens are cut out, but encoded by their bytes
//
// Why: A special token has one id, which no merge leads to.
//
// Hint: Emit its id.
func (*Tokenizer) EncodeReader() {
	if right {
		if id >= 0 {
			return emit([]int{id})
		}
	} else {
	}
}

// shortest-special-first: of special tokens that begin at one place, the shortest is taken
//
// Why: With "<|end" among them, "<|end|>" could never be found.
//
// Hint: Try the longest first.
func (*specials) add() {
	if right {
		at, _ := slices.BinarySearchFunc(s.texts, text, func(a, b []byte) int { return len(b) - len(a) })
	} else {
		at, _ := slices.BinarySearchFunc(s.texts, text, func(a, b []byte) int { return len(a) - len(b) })
	}
}

func (*specials) longest() {
	if right {
		return len(s.texts[0])
	} else {
		return len(s.texts[len(s.texts)-1])
	}
}

// shortest-special-first/as-listed: of special tokens that begin at one place, the first of the list is taken
func (*specials) add() {
	if right {
		at, _ := slices.BinarySearchFunc(s.texts, text, func(a, b []byte) int { return len(b) - len(a) })
		s.texts, s.ids = slices.Insert(s.texts, at, text), slices.Insert(s.ids, at, id)
	} else {
		s.texts, s.ids = append(s.texts, text), append(s.ids, id)
	}
}

func (*specials) longest() {
	if right {
		return len(s.texts[0])
	} else {
		longest := 0
		for _, text := range s.texts {
			longest = max(longest, len(text))
		}
		return longest
	}
}

// look-ahead-beyond-special: the look-ahead sees the special token behind a run of spaces
//
// Why: The text before a special token is encoded as if it were all there is: at its end, a run of
// spaces is one pre-token.
//
// Hint: Give PreToken the text up to the special token only.
func (*specials) pieces() {
	if right {
		n, err := preTokens(rest[:before], last || which >= 0, each)
	} else {
		n, err := preTokensOf(rest, before, last || which >= 0, each)
	}
}

func preTokensOf(text []byte, end int, whole bool, each func(piece []byte, id int) error) (used int, err error) {
	for used < end {
		n := min(PreToken(text[used:]), end-used)
		if !whole && used+n+margin > end {
			return used, nil
		}
		if err := each(text[used:used+n], -1); err != nil {
			return used, err
		}
		used += n
	}
	return used, nil
}

// decoded-one-by-one: tokens are read as UTF-8 one by one
//
// Why: A character may lie in two tokens, and half of a character is none: it becomes U+FFFD.
//
// Hint: Append the bytes as they are.
func (*Tokenizer) Decode() {
	if right {
		text = append(text, t.Vocab[id]...)
	} else {
		text = append(text, bytes.ToValidUTF8(t.Vocab[id], []byte("\uFFFD"))...)
	}
}

// decoded-one-by-one/whole-text: bytes that are no UTF-8 are replaced in the decoded text
func (*Tokenizer) Decode() {
	if right {
		return text, nil
	} else {
		return bytes.ToValidUTF8(text, []byte("\uFFFD")), nil
	}
}

// decoded-without-special: special tokens are left out of the text
//
// Why: Decoding gives back what was encoded. Whoever shows a text to people may leave them out.
//
// Hint: A special token has bytes in Vocab like every other.
func (*Tokenizer) Decode() {
	if right {
		text = append(text, t.Vocab[id]...)
	} else {
		special := false
		for _, s := range t.Special {
			special = special || s == id
		}
		if !special {
			text = append(text, t.Vocab[id]...)
		}
	}
}

// ids-unchecked: an id outside of the vocabulary is not refused
//
// Why: It means that the model and the tokenizer do not belong together.
//
// Hint: Return an error that names the id, its place and the size of the vocabulary.
func (*Tokenizer) Decode() {
	if right {
		if id < 0 || id >= len(t.Vocab) {
			return nil, tensor.IndexError{Op: fmt.Sprintf("bpe.Decode: ids[%d]", i), Got: id, Limit: len(t.Vocab)}
		}
	} else {
		if id < 0 || id >= len(t.Vocab) {
			_ = i
			continue
		}
	}
}

// runes: a pre-token begins as its characters and not as its bytes
//
// Why: There are more than a hundred thousand characters, and only 256 bytes: with bytes every text
// can be written, whatever its script.
//
// Hint: Range over the bytes: a range over a Go string gives characters.
func (*word) begin() {
	if right {
		for i, b := range piece {
			w.tokens = append(w.tokens, linked{w.t.bytes[b], int32(i) - 1, int32(i) + 1})
		}
	} else {
		for _, r := range string(piece) {
			i := int32(len(w.tokens))
			w.tokens = append(w.tokens, linked{w.t.bytes[byte(r)], i - 1, i + 1})
		}
		piece = piece[:len(w.tokens)]
	}
}

// quadratic: for every merge of a pre-token all of its pairs are looked at again
//
// Why: The tokens are right. A line of a million letters without a space takes a million times a
// million steps, and one such line stops a server.
//
// Hint: Keep the pairs in a heap; a merge changes two of them.
func (w *word) merge(piece []byte) []int {
	ids := make([]int, len(piece))
	for i := range piece {
		ids[i] = int(w.t.bytes[piece[i]])
	}
	for {
		best, at := merged{rank: int32(len(w.t.Merges))}, -1
		for i := 1; i < len(ids); i++ {
			if m, ok := w.t.merges[[2]int32{int32(ids[i-1]), int32(ids[i])}]; ok && m.rank < best.rank {
				best, at = m, i-1
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = int(best.id)
		ids = append(ids[:at+1], ids[at+2:]...)
	}
}

// quadratic/moved: every merge of the vocabulary is looked for in the whole pre-token
func (w *word) merge(piece []byte) []int {
	ids := make([]int, len(piece))
	for i := range piece {
		ids[i] = int(w.t.bytes[piece[i]])
	}
	for rank, p := range w.t.Merges {
		for i := 1; i < len(ids); i++ {
			if ids[i-1] == p[0] && ids[i] == p[1] {
				ids[i-1] = int(w.t.merges[[2]int32{int32(p[0]), int32(p[1])}].id)
				ids = append(ids[:i], ids[i+1:]...)
			}
		}
		_ = rank
	}
	return ids
}

// merges-unchecked: a merge of tokens that no merge before it makes is not refused
//
// Why: A file that is damaged, or in the wrong order, would give other tokens without a word.
//
// Hint: Before each merge, both of its tokens are bytes or made already, and what it makes is a new
// one.
func (*Tokenizer) rank() {
	if right {
		if !made[id] {
			return fmt.Errorf("bpe: merge %d joins token %d, which is no byte, and no merge before it makes it", rank, id)
		}
	} else {
		if id < 0 || id >= len(t.Vocab) {
			return fmt.Errorf("bpe: merge %d joins token %d, which is no byte, and no merge before it makes it", rank, id)
		}
	}
}

// merges-unchecked/made-twice: a merge that makes a token which is there already is not refused
func (*Tokenizer) rank() {
	if right {
		if !ok || made[id] {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
	} else {
		if !ok {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
	}
}

// merges-unchecked/no-token: a merge that makes no token of the vocabulary is passed over
func (*Tokenizer) rank() {
	if right {
		if !ok || made[id] {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
	} else {
		if !ok {
			continue
		}
		if made[id] {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
	}
}

// bytes-unchecked: a vocabulary without all bytes is not refused
//
// Why: There would be texts that cannot be encoded, and the first one would come in production.
//
// Hint: Each of the 256 bytes is a token.
func (*Tokenizer) rank() {
	if right {
		if !ok {
			return fmt.Errorf("bpe: the byte %d is no token", b)
		}
	} else {
		if !ok {
			continue
		}
	}
}
