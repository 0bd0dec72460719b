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

// tables-of-every-call: every call makes RoPE's tables anew, up to its last position
//
// Why: A new token costs what the whole text does, in cosines.
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
	longest := 0
	for _, s := range c.spans {
		longest = max(longest, s.p+s.n)
	}
	c.rope = rope.New(c.model.Config.RopeTheta, c.model.Config.DModel/c.model.Config.NumHeads, max(1, longest))
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

// read-from-a-copy: every head is copied to a buffer before it is attended to
//
// Why: A new token copies all keys and values that were read.
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
			c.seenK = tensor.Reuse(c.seenK, p+n, keys.Dim(1))
			c.seenV = tensor.Reuse(c.seenV, p+n, keys.Dim(1))
			copy(c.seenK.Data, keys.Data)
			copy(c.seenV.Data, values.Data)
			y := m.Attention.Forward(q, c.seenK, c.seenV, s.mask)
			tensor.Copy(c.joined.Matrix().Block(first, h*d/heads, n, d/heads), y.Matrix())
		}
	}
	return m.Output.Forward(c.joined)
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer // one for each block
	lengths []int   // tokens that each row has read
	maxLen  int     // T_max

	spans        []span         // what the rows read in this call
	positions    [][]int        // (1, N)
	x            *tensor.Tensor // (N, D), the stream of activations
	q, k, v      *tensor.Tensor // (1, H, N, K)
	seenK, seenV *tensor.Tensor
	joined       *tensor.Tensor // (N, D), the heads side by side
	last         *tensor.Tensor // (B, D), the end of each row
}

// scratch-of-the-package: what a call works with lies in a variable of the package
//
// Why: Two caches of two goroutines write to the same memory.
type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer // one for each block
	lengths []int   // tokens that each row has read
	maxLen  int     // T_max

	spans     []span  // what the rows read in this call
	positions [][]int // (1, N)
	*work
}

type work struct {
	x       *tensor.Tensor
	q, k, v *tensor.Tensor
	joined  *tensor.Tensor
	last    *tensor.Tensor
}

var scratch work

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
	c := &Cache{work: &scratch, model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

// masks-kept-by-size: every mask that was made is kept in a map
//
// Why: No text meets the same past twice: the map grows as long as a text is read.
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
		at := [2]int{p, n}
		if c.masks[at] == nil {
			c.masks[at] = Mask(p, n)
		}
		s.mask = c.masks[at]
		c.spans = append(c.spans, s)
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
		first += n
	}
	return nil
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
	c := &Cache{masks: map[[2]int]*attention.Mask{}, model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	for range m.Blocks {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	}
	return c
}

// cleared-behind-the-end: every call sets what lies behind the end of each row to zero
//
// Why: Nobody looks there, and it costs all the room that there is.
func (c *Cache) tidy() {
	heads := c.model.Config.NumHeads
	for _, l := range c.layers {
		for row, n := range c.lengths {
			for h := range heads {
				head(l.keys, row*heads+h).Slice(n, c.maxLen).Zero()
				head(l.values, row*heads+h).Slice(n, c.maxLen).Zero()
			}
		}
	}
}

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
	c.tidy()
	return c.x, nil
}
