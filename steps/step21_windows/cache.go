package windows

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Cache is what a model has read of one text through a window: for every layer the keys
// and values of the last W tokens and of the first s, in a ring that never grows.
//
// It reads with the model's own layers and parameters, as the cache of step 12 does: any
// number of caches may take turns on one model, but between a Forward of the model and its
// Backward none of them is used.
//
// Source: Xiao et al., 2023, section 3.2; a ring as in Jiang et al., "Mistral 7B", 2023.
type Cache struct {
	// The model, a RoPE, a ring for each of its blocks, how many tokens have been read, and
	// buffers for the new ones: the fields are yours.
}

// Slot returns where the token of position p lies in a buffer of sinks + window places:
//
//	p                   for p < s, the sinks, which stay
//	s + (p − s) mod W   for the others: each takes the place of the one W before it
func Slot(p, window, sinks int) int {
	panic(tensor.TODO("step21: Slot"))
}

// New returns an empty cache for a text of at most maxLen tokens, which may be more than
// the model's ContextLength. All memory of keys and values is allocated here, and does not
// depend on maxLen: for every layer two buffers (H, s+W, K).
//
// It panics with a ShapeError unless window and maxLen are at least 1 and sinks at least 0.
func New(m *lm.LM, window, sinks, maxLen int) *Cache {
	panic(tensor.TODO("step21: New"))
}

// Len returns how many tokens have been read.
func (c *Cache) Len() int {
	panic(tensor.TODO("step21: Cache.Len"))
}

// Bytes returns the size of all keys and values, 2·L·(s+W)·D numbers of four bytes,
// however many tokens have been read.
func (c *Cache) Bytes() int {
	panic(tensor.TODO("step21: Cache.Bytes"))
}

// Forward reads ids, the next tokens of the text, and returns the logits (N, V) after every
// one of them. They are those of the model whose every query sees through the window, see
// Window, on the whole text at once, however it is cut into calls. The first new token
// stands at position Len(), in RoPE and everywhere.
//
// Every token first takes its place in the ring of each layer and then attends to all that
// lies there. Whose place it takes, that token stands at p − W, and no query from p on sees
// it. The keys of the ring are those of RoPE at their positions; in what order they lie
// makes no difference to attention.
//
// The logits are valid until the model or one of its caches reads again. A text that would
// be longer than T_max and an id outside the vocabulary are errors; after an error
// everything is as before.
func (c *Cache) Forward(ids []int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step21: Cache.Forward"))
}
