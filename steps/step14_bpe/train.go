package bpe

import (
	"io"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Train learns a vocabulary of at most vocabSize tokens from a text: the 256 bytes in
// their order, what is learnt, and at the end the special tokens.
//
// The text is cut as Encode cuts it, and special tokens are not counted. A pair counts
// once for every place in the text where the two are neighbours inside a pre-token: aaa
// holds the pair (a, a) twice. Again and again the pair with the highest count becomes a
// token; of pairs that count the same it is the greatest pair of byte strings, the left
// ones compared first. It becomes one token wherever it occurs, from left to right. If no
// pair is left, the vocabulary is smaller than vocabSize.
//
// A merge takes time for the pre-tokens that hold its pair, and not for the others.
//
// It is an error if vocabSize is too small for the bytes and the special tokens, if a
// special token is empty, a single byte, or there twice, and if r fails.
func Train(r io.Reader, vocabSize int, special ...string) (*Tokenizer, error) {
	panic(tensor.TODO("step14: Train"))
}
