// Package bpe is the tokenizer: byte-pair encoding as GPT-2 has it. It turns any bytes
// into token ids and back, and learns from a text which bytes belong together.
//
//	text ── special tokens cut out ──► parts ── PreToken ──► pre-tokens ── merges ──► ids
//
// Letters: T tokens, V vocabulary.
package bpe

import "github.com/stubformer/stubformer/reference/tensor"

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

	// Yours: what you look up while you encode.
}

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
	panic(tensor.TODO("step14: New"))
}

// Decode returns the bytes of the tokens, one after the other. A character may lie in
// several tokens, so nothing is read as UTF-8 here. The bytes are the caller's.
//
// An id that is not in 0 ≤ id < V is an error that names it, its place and V.
func (t *Tokenizer) Decode(ids []int) ([]byte, error) {
	panic(tensor.TODO("step14: Tokenizer.Decode"))
}
