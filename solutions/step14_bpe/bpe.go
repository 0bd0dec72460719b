// Package bpe is the tokenizer: byte-pair encoding as GPT-2 has it. It turns any bytes
// into token ids and back, and learns from a text which bytes belong together.
//
//	text ── special tokens cut out ──► parts ── PreToken ──► pre-tokens ── merges ──► ids
//
// Letters: T tokens, V vocabulary.
package bpe

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Tokenizer is a vocabulary and the merges that lead to it. It keeps nothing between
// two calls of Encode or EncodeReader, and several goroutines may use it at the same time.
//
// Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with
// Subword Units", 2016, section 3.2; Radford et al., "Language Models are Unsupervised
// Multitask Learners", 2019, section 2.2.
type Tokenizer struct {
	Vocab   [][]byte // (V): the bytes of every token, by id
	Merges  [][2]int // pairs of ids; the place in the list is the rank
	Special []int    // ids of the special tokens

	ids      map[string]int      // of the tokens, by their bytes
	bytes    [256]int32          // ids of the single bytes
	merges   map[[2]int32]merged // by pair of ids: a map finds a key of eight bytes fast
	specials specials
}

// merged is the token that a pair becomes, and the rank of the merge.
type merged struct{ rank, id int32 }

// New returns a tokenizer with these tokens; a token's id is its place in vocab, which is
// kept. A merge joins the two tokens of the given ids into the token whose bytes are
// theirs, one after the other. The first merge has the lowest rank.
//
// New returns an error that names the id or the merge
//
//   - if a token is empty or there twice, or one of the 256 bytes is no token,
//   - if the id of a merge or of a special token is not in 0 ≤ id < V,
//   - if what a merge makes is no token, or was made by an earlier merge, and
//   - if a merge joins a token that is no byte and that no earlier merge makes.
func New(vocab [][]byte, merges [][2]int, special []int) (*Tokenizer, error) {
	t := &Tokenizer{Vocab: vocab, Merges: merges, Special: special, ids: map[string]int{},
		merges: map[[2]int32]merged{}}
	for id, token := range vocab {
		if other, twice := t.ids[string(token)]; twice || len(token) == 0 {
			return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, other)
		}
		t.ids[string(token)] = id
	}
	if err := t.rank(); err != nil {
		return nil, err
	}
	for _, id := range special {
		if id < 0 || id >= len(vocab) {
			return nil, tensor.IndexError{Op: "bpe: special token", Got: id, Limit: len(vocab)}
		}
		t.specials.add(vocab[id], id)
	}
	return t, nil
}

// rank fills in what every pair becomes.
func (t *Tokenizer) rank() error {
	made := map[int]bool{} // what is there before a merge: at first the bytes
	for b := range 256 {
		id, ok := t.ids[string([]byte{byte(b)})]
		if !ok {
			return fmt.Errorf("bpe: the byte %d is no token", b)
		}
		made[id], t.bytes[b] = true, int32(id)
	}
	for rank, pair := range t.Merges {
		for _, id := range pair {
			if !made[id] {
				return fmt.Errorf("bpe: merge %d joins token %d, which is no byte, and no merge before it makes it",
					rank, id)
			}
		}
		joined := string(t.Vocab[pair[0]]) + string(t.Vocab[pair[1]])
		id, ok := t.ids[joined]
		if !ok || made[id] {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
		made[id] = true
		t.merges[[2]int32{int32(pair[0]), int32(pair[1])}] = merged{int32(rank), int32(id)}
	}
	return nil
}

// Decode returns the bytes of the tokens, one after the other. A character may lie in
// several tokens, so nothing is read as UTF-8 here. The bytes are the caller's.
//
// An id that is not in 0 ≤ id < V is an error that names it, its place and V.
func (t *Tokenizer) Decode(ids []int) ([]byte, error) {
	var text []byte
	for i, id := range ids {
		if id < 0 || id >= len(t.Vocab) {
			return nil, tensor.IndexError{Op: fmt.Sprintf("bpe.Decode: ids[%d]", i), Got: id, Limit: len(t.Vocab)}
		}
		text = append(text, t.Vocab[id]...)
	}
	return text, nil
}
