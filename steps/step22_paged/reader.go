package paged

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Reader lets one model read any number of texts, whose keys and values lie in one pool. A
// text joins by being read, and leaves by Truncate(0).
//
// It reads with the model's own layers and parameters, as the cache of step 12 does: any
// number of readers may take turns on one model, but between a Forward of the model and
// its Backward none of them is used.
type Reader struct {
	// The model, a RoPE, the pool, and buffers for the new tokens: the fields are yours.
}

// New returns a reader with a pool of pages, each of size tokens. It panics with a
// ShapeError unless both are at least 1.
func New(m *lm.LM, pages, size int) *Reader {
	panic(tensor.TODO("step22: New"))
}

// Pool returns the reader's pool: Pool().NewText() is a text that it can read.
func (r *Reader) Pool() *Pool {
	panic(tensor.TODO("step22: Reader.Pool"))
}

// Forward reads ids, a row of new tokens for each of the texts, and returns the logits
// (N, V) after every one of them: those of the first text, then those of the second, and
// so on. They are what LM.Forward would return at the same places of the whole texts. The
// first new token of a text stands at position Len(). A row may be empty.
//
// The logits are valid until the model or one of its readers reads again. Errors are:
// another number of rows than of texts; a text that is there twice or lies in another pool;
// one that would be longer than the model's ContextLength; an id outside the vocabulary;
// too few free pages for all of them. They name the text, 0 for the first, but for the
// first and the last. After an error everything is as before, in all texts.
func (r *Reader) Forward(texts []*Text, ids [][]int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step22: Reader.Forward"))
}
