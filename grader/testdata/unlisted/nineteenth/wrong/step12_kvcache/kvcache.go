//go:build unlisted

package kvcache

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// mask-memo: mask memo
//
// Why: Masks are remembered in the cache by (p, n), and never given back. The logits are right and a text that is read again makes no new masks, but a cache that reads a text in small pieces keeps a mask of n·(p+n) entries for every place where a call began: memory grows with the square of the text, and with truncating and reading on (speculative decoding) further still. The contract of New: "All of its memory is allocated here: for every layer one buffer of keys and one of values"; what a call allocates stays.
func (c *Cache) place(ids [][]int) error {
	if len(ids) != len(c.lengths) {
		return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
	}
	c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	first := 0
	for row, tokens := range ids {
		p, n := c.lengths[row], len(tokens)
		if p+n > c.maxLen {
			return fmt.Errorf(
				"Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for",
				row, p, n, c.maxLen)
		}
		if n == 0 {
			continue
		}
		s := span{row: row, p: p, n: n, first: first}
		if n > 1 { // a single token may attend to everything that there is
			s.mask = c.mask(p, n)
		}
		c.spans = append(c.spans, s)
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
		first += n
	}
	return nil
}

func (c *Cache) mask(p, n int) *attention.Mask {
	at := [2]int{p, n}
	if c.masks[at] == nil {
		c.masks[at] = Mask(p, n)
	}
	return c.masks[at]
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer // one for each block
	lengths []int   // tokens that each row has read
	maxLen  int     // T_max

	masks     map[[2]int]*attention.Mask
	spans     []span         // what the rows read in this call
	positions [][]int        // (1, N)
	x         *tensor.Tensor // (N, D), the stream of activations
	q, k, v   *tensor.Tensor // (1, H, N, K)
	joined    *tensor.Tensor // (N, D), the heads side by side
	last      *tensor.Tensor // (B, D), the end of each row
}

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
	c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen,
		masks: map[[2]int]*attention.Mask{}}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

// rope-memo: rope memo
//
// Why: The tables of RoPE are shared by all caches of the program, in a package map by K and T_max. Θ is not part of the key, so a cache of a second model with another RopeTheta turns by the first model's angles; and the map is written without a lock, so that two New in two goroutines race. The contract: the logits "are what LM.Forward would return at the same places of the whole rows"; the lesson: "make one, with the model's Θ and K, for T_max positions".
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
	c := &Cache{model: m, rope: tables(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

var ropes = map[[2]int]*rope.RoPE{}

func tables(theta float64, width, maxLen int) *rope.RoPE {
	size := [2]int{width, maxLen}
	if ropes[size] == nil {
		ropes[size] = rope.New(theta, width, maxLen)
	}
	return ropes[size]
}

// rope-per-call: rope per call
//
// Why: Every call makes the tables of RoPE anew, for the positions 0 to the end of the longest row. The logits are right, but sines, cosines and powers for all p old positions are computed and allocated for each new token: work and memory of a call grow with the text. The contract of New: "All of its memory is allocated here", and the lesson: "RoPE is not [exported]; make one, with the model's Θ and K, for T_max positions"; a new token is to cost "one token's work".
func (c *Cache) place(ids [][]int) error {
	if len(ids) != len(c.lengths) {
		return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
	}
	c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	first, longest := 0, 0
	for row, tokens := range ids {
		p, n := c.lengths[row], len(tokens)
		if p+n > c.maxLen {
			return fmt.Errorf(
				"Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for",
				row, p, n, c.maxLen)
		}
		if n == 0 {
			continue
		}
		s := span{row: row, p: p, n: n, first: first}
		if n > 1 { // a single token may attend to everything that there is
			s.mask = Mask(p, n)
		}
		c.spans = append(c.spans, s)
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
		first, longest = first+n, max(longest, p+n)
	}
	c.rope = rope.New(c.model.Config.RopeTheta, c.width, longest)
	return nil
}

func (c *Cache) split(dst, qkv *tensor.Tensor, first int) *tensor.Tensor {
	n, heads, width := qkv.Dim(0), c.model.Config.NumHeads, c.width
	dst = tensor.Reuse(dst, 1, heads, n, width)
	for h := range heads {
		tensor.Copy(dst.MatrixAt(h), qkv.Matrix().Block(0, first+h*width, n, width))
	}
	return dst
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE // for the positions of this call
	width   int        // K
	layers  []layer    // one for each block
	lengths []int      // tokens that each row has read
	maxLen  int        // T_max

	spans     []span         // what the rows read in this call
	positions [][]int        // (1, N)
	x         *tensor.Tensor // (N, D), the stream of activations
	q, k, v   *tensor.Tensor // (1, H, N, K)
	joined    *tensor.Tensor // (N, D), the heads side by side
	last      *tensor.Tensor // (B, D), the end of each row
}

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
	c := &Cache{model: m, width: width, lengths: make([]int, batch), maxLen: maxLen}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

// stale-last: stale last
//
// Why: Last runs the head on the rows that read something only, and spreads the logits over a (B, V) tensor of its own. That tensor is used again and is never cleared, so a row that reads nothing in a later call has the logits of an earlier one. The first call, and every call in which all rows read, is right. The contract: "A row that read nothing has zeros."
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
	last      *tensor.Tensor // the end of each row that read something
	logits    *tensor.Tensor // (B, V), what Last returns
}

func (c *Cache) Last(ids [][]int) (*tensor.Tensor, error) {
	x, err := c.read(ids)
	if err != nil {
		return nil, err
	}
	c.last = tensor.Reuse(c.last, len(c.spans), x.Dim(1))
	for i, s := range c.spans {
		copy(c.last.Row(i), x.Row(s.first+s.n-1))
	}
	logits := c.model.Head.Forward(c.model.Norm.Forward(c.last))
	c.logits = tensor.Reuse(c.logits, len(ids), logits.Dim(1))
	for i, s := range c.spans {
		copy(c.logits.Row(s.row), logits.Row(i))
	}
	return c.logits, nil
}

// static-shape: static shape
//
// Why: Every query is compared with all T_max places of the buffer, and those that are not read yet are masked, so that all tensors keep one shape. The logits are right, but each token costs T_max keys instead of p+n. The contract: "y = Attention(q, keys[0:p+n], values[0:p+n])", and FLOPs: "scores 2·(past+n)·D and weighted values 2·(past+n)·D"; the mask (n, T_max) is also made anew in every call, though "All of its memory is allocated here" (New).
func (c *Cache) place(ids [][]int) error {
	if len(ids) != len(c.lengths) {
		return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
	}
	c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	first := 0
	for row, tokens := range ids {
		p, n := c.lengths[row], len(tokens)
		if p+n > c.maxLen {
			return fmt.Errorf(
				"Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for",
				row, p, n, c.maxLen)
		}
		if n == 0 {
			continue
		}
		s := span{row: row, p: p, n: n, first: first}
		s.mask = c.window(p, n)
		c.spans = append(c.spans, s)
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
		first += n
	}
	return nil
}

func (c *Cache) window(p, n int) *attention.Mask {
	mask := &attention.Mask{N: n, M: c.maxLen, Attend: make([]bool, n*c.maxLen)}
	for i := range n {
		for j := range p + i + 1 {
			mask.Attend[i*c.maxLen+j] = true
		}
	}
	return mask
}

func (c *Cache) attend(m *attention.MultiHead, l layer, x *tensor.Tensor) *tensor.Tensor {
	d, heads := x.Dim(1), c.model.Config.NumHeads
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q = c.split(c.q, qkv, 0)
	c.k = c.split(c.k, qkv, d)
	c.v = c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)

	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for _, s := range c.spans {
		p, n, first := s.p, s.n, s.first
		for h := range heads {
			q, k := head(c.q, h).Slice(first, first+n), head(c.k, h).Slice(first, first+n)
			v := head(c.v, h).Slice(first, first+n)
			keys, values := head(l.keys, s.row*heads+h), head(l.values, s.row*heads+h) // (T_max, K)

			copy(keys.Slice(p, p+n).Data, k.Data)   // keys[p:p+n] = k
			copy(values.Slice(p, p+n).Data, v.Data) // values[p:p+n] = v
			y := m.Attention.Forward(q, keys, values, s.mask)
			tensor.Copy(c.joined.Matrix().Block(first, h*d/heads, n, d/heads), y.Matrix())
		}
	}
	return m.Output.Forward(c.joined)
}

// truncate-within-room: truncate within room
//
// Why: Truncate compares n with T_max instead of with the row's length. A row that has read 3 tokens can be "truncated" to 5: Len says 5, and the next tokens attend to two places that nobody has read (zeros, or an older text). The contract: "It panics with an IndexError unless the row is one of the batch and 0 ≤ n ≤ Len(row)".
func (c *Cache) Truncate(row, n int) {
	if row < 0 || row >= len(c.lengths) {
		panic(tensor.IndexError{Op: "Cache.Truncate: row", Got: row, Limit: len(c.lengths)})
	}
	if n < 0 || n > c.maxLen {
		panic(tensor.IndexError{Op: "Cache.Truncate: n", Got: n, Limit: c.maxLen + 1})
	}
	c.lengths[row] = n // what lies behind is overwritten by the next tokens, and nobody looks at it before
}
