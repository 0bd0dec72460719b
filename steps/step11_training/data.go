package training

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Tokens is a text as a file of token ids: 16-bit numbers, little-endian, and
// nothing else. The file is mapped into memory with tensor.MapUint16, so it may
// be larger than that.
type Tokens struct {
	// Yours: the mapped file, and the slices that Batch returns again.
}

// OpenTokens opens a file of tokens. The error names the file if it is not
// there or cannot be one.
func OpenTokens(path string) (*Tokens, error) {
	panic(tensor.TODO("step11: OpenTokens"))
}

// WriteTokens writes a file for OpenTokens, whole or not at all: an error leaves
// a file that was there as it was. Write to another file in the same folder and
// rename that. An id below 0 or above 65535 is an error that names it.
func WriteTokens(path string, ids []int) error {
	panic(tensor.TODO("step11: WriteTokens"))
}

// Len returns how many tokens the file holds.
func (t *Tokens) Len() int {
	panic(tensor.TODO("step11: Tokens.Len"))
}

// Close closes the file.
func (t *Tokens) Close() error {
	panic(tensor.TODO("step11: Tokens.Close"))
}

// Batch draws sequences from the text. Each is a window of context + 1 tokens
// that begins at a place drawn from all places where one fits, the last ones
// included:
//
//	start ∈ {0, …, Len − context − 1}, all equally likely
//	ids     = text[start], …, text[start + context − 1]
//	targets = text[start + 1], …, text[start + context]    the token after each
//
// ids and targets are (batch, context) and are valid until the next Batch. A
// text without room for one window is an error that names both lengths.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	panic(tensor.TODO("step11: Tokens.Batch"))
}
