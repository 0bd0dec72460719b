package bpe

import (
	"io"

	"github.com/stubformer/stubformer/reference/tensor"
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
	panic(tensor.TODO("step14: Tokenizer.Encode"))
}

// EncodeReader calls emit with the token ids of what r gives, some at a time and from
// left to right; all of them together are what Encode returns. ids are valid until emit
// returns, and emit does not change them.
//
// It holds no more in memory than the longest pre-token asks for, however long the text
// is. An error of r or emit is returned as it is, and nothing is emitted after it.
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	panic(tensor.TODO("step14: Tokenizer.EncodeReader"))
}
