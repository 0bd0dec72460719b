// Package kvcache lets a model read a text piece by piece: the keys and values
// of the tokens that it has read stay, so that a new token costs one token's work.
//
// Letters: B batch (rows), N new tokens of all rows together, D d_model, H heads,
// K d_k = D/H, V vocabulary, T_max the longest row.
package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
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
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer // one for each block
	lengths []int   // tokens that each row has read
	maxLen  int     // T_max

	spans     []span         // what the rows read in this call
	positions [][]int        // (1, N)
	x         *tensor.Tensor // (N, D), the stream of activations
	q, k, v   *tensor.Tensor // (1, H, N, K)
	joined    *tensor.Tensor // (N, D), the heads side by side
	last      *tensor.Tensor // (B, D), the end of each row
}

// layer holds what one block has computed of every token: its keys after RoPE,
// its values as they are, both (B, H, T_max, K).
type layer struct{ keys, values *tensor.Tensor }

// New returns an empty cache of batch rows, each of at most maxLen tokens. All of
// its memory is allocated here: for every layer one buffer (B, H, T_max, K) of
// keys and one of values.
//
// It panics with a ShapeError unless batch is at least 1 and maxLen from 1 to the
// model's ContextLength.
func New(m *lm.LM, batch, maxLen int) *Cache {
	cfg := m.Config
	if batch < 1 {
		panic(tensor.ShapeError{Op: "kvcache.New: batch must be at least 1", Got: []int{batch}})
	}
	if maxLen < 1 || maxLen > cfg.ContextLength {
		panic(tensor.ShapeError{Op: fmt.Sprintf("kvcache.New: maxLen must be from 1 to %d", cfg.ContextLength),
			Got: []int{maxLen}})
	}
	width := cfg.DModel / cfg.NumHeads
	c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

// Len returns how many tokens a row has read.
func (c *Cache) Len(row int) int { return c.lengths[row] }

// Bytes returns the size of all keys and values, 2·L·B·T_max·D numbers of four
// bytes, however many tokens have been read.
func (c *Cache) Bytes() int {
	numbers := 0
	for _, l := range c.layers {
		numbers += l.keys.Len() + l.values.Len()
	}
	return 4 * numbers
}

// Truncate makes a row forget all but its first n tokens. It panics with an
// IndexError unless the row is one of the batch and 0 ≤ n ≤ Len(row).
func (c *Cache) Truncate(row, n int) {
	if row < 0 || row >= len(c.lengths) {
		panic(tensor.IndexError{Op: "Cache.Truncate: row", Got: row, Limit: len(c.lengths)})
	}
	if n < 0 || n > c.lengths[row] {
		panic(tensor.IndexError{Op: "Cache.Truncate: n", Got: n, Limit: c.lengths[row] + 1})
	}
	c.lengths[row] = n // what lies behind is overwritten by the next tokens, and nobody looks at it before
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
// The first new token of a row that has read p stands at position p, and the rows
// may read different numbers of tokens, or none. The logits are valid until the
// model or one of its caches reads again. Another number of rows, a row that would
// be longer than T_max and an id outside the vocabulary are errors. They name the row,
// and its length if that is too much; after an error everything is as before.
func (c *Cache) Forward(ids [][]int) (*tensor.Tensor, error) {
	x, err := c.read(ids)
	if err != nil {
		return nil, err
	}
	return c.model.Head.Forward(c.model.Norm.Forward(x)), nil
}

// Last reads ids as Forward does and returns the logits (B, V) after the last new
// token of each row, those that the next token is drawn from. The head works for
// these alone. A row that read nothing has zeros.
func (c *Cache) Last(ids [][]int) (*tensor.Tensor, error) {
	x, err := c.read(ids)
	if err != nil {
		return nil, err
	}
	c.last = tensor.Reuse(c.last, len(ids), x.Dim(1))
	c.last.Zero()
	for _, s := range c.spans {
		copy(c.last.Row(s.row), x.Row(s.first+s.n-1))
	}
	return c.model.Head.Forward(c.model.Norm.Forward(c.last)), nil // zeros stay zeros in both
}

// read returns the activations (N, D) of the new tokens after the last block. The rows'
// tokens lie one after another in x, and every block works on x in place:
//
//	x = x + Attn(Norm1(x))    with the attention of the cache
//	x = x + FFN(Norm2(x))
func (c *Cache) read(ids [][]int) (*tensor.Tensor, error) {
	if err := c.place(ids); err != nil {
		return nil, err
	}
	c.x = tensor.Reuse(c.x, len(c.positions[0]), c.model.Config.DModel)
	for _, s := range c.spans {
		x, err := c.model.Embedding.Forward(ids[s.row : s.row+1])
		if err != nil {
			return nil, fmt.Errorf("Cache: row %d: %w", s.row, err)
		}
		copy(c.x.Slice(s.first, s.first+s.n).Data, x.Data)
	}
	x := c.x.Data
	for l, b := range c.model.Blocks {
		kernel.Add(x, x, c.attend(b.Attn, c.layers[l], b.Norm1.Forward(c.x)).Data)
		kernel.Add(x, x, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
	}
	for _, s := range c.spans {
		c.lengths[s.row] += s.n
	}
	return c.x, nil
}
