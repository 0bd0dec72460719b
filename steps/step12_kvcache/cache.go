// Package kvcache lets a model read a text piece by piece: the keys and values
// of the tokens that it has read stay, so that a new token costs one token's work.
//
// Letters: B batch (rows), N new tokens of all rows together, D d_model, H heads,
// K d_k = D/H, V vocabulary, T_max the longest row.
package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Cache is what a model has read so far: a batch of rows, each with a length of
// its own, and for every layer the keys and the values of their tokens.
//
// It reads with the model's own layers and parameters, and so stands in the way
// of a Backward: between a Forward of the model and its Backward no cache of the
// model is used. Any number of caches may take turns on one model.
//
// Source: Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need",
// 2019, on incremental attention; Pope et al., "Efficiently Scaling Transformer
// Inference", 2022, section 2.
type Cache struct {
	// The model, the keys and values of each of its blocks, the length of every
	// row, a RoPE, and buffers for the new tokens: the fields are yours.
}

// New returns an empty cache of batch rows, each of at most maxLen tokens. All of
// its memory is allocated here: for every layer one buffer (B, H, T_max, K) of
// keys and one of values.
//
// It panics with a ShapeError unless batch is at least 1 and maxLen from 1 to the
// model's ContextLength.
func New(m *lm.LM, batch, maxLen int) *Cache {
	panic(tensor.TODO("step12: New"))
}

// Len returns how many tokens a row has read.
func (c *Cache) Len(row int) int {
	panic(tensor.TODO("step12: Cache.Len"))
}

// Bytes returns the size of all keys and values, 2·L·B·T_max·D numbers of four
// bytes, however many tokens have been read.
func (c *Cache) Bytes() int {
	panic(tensor.TODO("step12: Cache.Bytes"))
}

// Truncate makes a row forget all but its first n tokens. It panics with an
// IndexError unless the row is one of the batch and 0 ≤ n ≤ Len(row).
func (c *Cache) Truncate(row, n int) {
	panic(tensor.TODO("step12: Cache.Truncate"))
}

// Forward reads ids, one row of new tokens for each row of the batch, and returns
// the logits (N, V) after every one of them: those of row 0, then those of row 1,
// and so on. They are what LM.Forward would return at the same places of the whole
// rows:
//
//	x      = Embedding(ids)                                       (N, D)
//	x      = x + Attn(Norm1(x));  x = x + FFN(Norm2(x))           for every block
//	logits = Head(Norm(x))                                        (N, V)
//
// Attn is MultiHead.Forward for new tokens x, which attend to themselves and to what
// the layer holds of their row, the first p tokens:
//
//	q, k, v     = x W_QKVᵀ, split into heads         (H, N, K)
//	q, k        = RoPE(q), RoPE(k)                   at the positions p, …, p+n−1
//	keys[p:p+n] = k,  values[p:p+n] = v              row by row, head by head
//	y           = Attention(q, keys[0:p+n], values[0:p+n]) W_Oᵀ
//
// The first new token of a row that has read p stands at position p, and the rows
// may read different numbers of tokens, or none. The logits are valid until the
// model or one of its caches reads again. Another number of rows, a row that would
// be longer than T_max and an id outside the vocabulary are errors. They name the row,
// and its length if that is too much; after an error everything is as before.
func (c *Cache) Forward(ids [][]int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step12: Cache.Forward"))
}

// Last reads ids as Forward does and returns the logits (B, V) after the last new
// token of each row, those that the next token is drawn from. The head works for
// these alone. A row that read nothing has zeros.
func (c *Cache) Last(ids [][]int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step12: Cache.Last"))
}
