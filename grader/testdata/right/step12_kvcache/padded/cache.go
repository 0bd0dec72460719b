// Package kvcache pads the rows of a call to the longest, and masks over all places.
package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

type Cache struct {
	model        *lm.LM
	rope         *rope.RoPE
	keys, values []*tensor.Tensor
	read         []int
	maxLen       int
	places       [][]int // of a call
}

func New(m *lm.LM, batch, maxLen int) *Cache {
	cfg := m.Config
	if batch <= 0 {
		panic(tensor.ShapeError{Op: "batch", Got: []int{batch}, Want: []int{1}})
	}
	if maxLen <= 0 || maxLen > cfg.ContextLength {
		panic(tensor.ShapeError{Op: "maxLen", Got: []int{maxLen}, Want: []int{cfg.ContextLength}})
	}
	c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, cfg.DModel/cfg.NumHeads, maxLen), read: make([]int, batch), maxLen: maxLen}
	for range cfg.NumLayers {
		c.keys = append(c.keys, tensor.New(batch, cfg.NumHeads, maxLen, cfg.DModel/cfg.NumHeads))
		c.values = append(c.values, tensor.New(batch, cfg.NumHeads, maxLen, cfg.DModel/cfg.NumHeads))
	}
	return c
}

func (c *Cache) Len(row int) int { return c.read[row] }

func (c *Cache) Bytes() int {
	return 2 * 4 * len(c.keys) * len(c.read) * c.maxLen * c.model.Config.DModel
}

func (c *Cache) Truncate(row, n int) {
	if row < 0 || row >= len(c.read) {
		panic(tensor.IndexError{Op: "row", Got: row, Limit: len(c.read)})
	}
	if n < 0 || n > c.read[row] {
		panic(tensor.IndexError{Op: "n", Got: n, Limit: c.read[row] + 1})
	}
	c.read[row] = n
}

func (c *Cache) Forward(ids [][]int) (*tensor.Tensor, error) {
	x, err := c.stream(ids)
	if err != nil {
		return nil, err
	}
	var rows []float32
	for b := range ids {
		for t := range ids[b] {
			rows = append(rows, x.Row(b*x.Dim(1)+t)...)
		}
	}
	all := tensor.From(rows, len(rows)/x.Dim(2), x.Dim(2))
	return c.model.Head.Forward(c.model.Norm.Forward(all)), nil
}

func (c *Cache) Last(ids [][]int) (*tensor.Tensor, error) {
	x, err := c.stream(ids)
	if err != nil {
		return nil, err
	}
	last := tensor.New(len(ids), x.Dim(2))
	for b := range ids {
		if len(ids[b]) > 0 {
			copy(last.Row(b), x.Row(b*x.Dim(1)+len(ids[b])-1))
		}
	}
	logits := c.model.Head.Forward(c.model.Norm.Forward(last))
	return logits, nil
}

// stream returns the activations (B, T, D) after the last block, T being the longest
// row; those behind the end of a row mean nothing.
func (c *Cache) stream(ids [][]int) (*tensor.Tensor, error) {
	if len(ids) != len(c.read) {
		return nil, fmt.Errorf("%d rows, want %d", len(ids), len(c.read))
	}
	time := 0
	for b, row := range ids {
		if c.read[b]+len(row) > c.maxLen {
			return nil, fmt.Errorf("row %d: %d tokens and %d more, room for %d", b, c.read[b], len(row), c.maxLen)
		}
		for t, id := range row {
			if id < 0 || id >= c.model.Config.VocabSize {
				return nil, fmt.Errorf("row %d, token %d: id %d of %d", b, t, id, c.model.Config.VocabSize)
			}
		}
		time = max(time, len(row))
	}
	padded := make([][]int, len(ids))
	c.places = make([][]int, len(ids))
	for b, row := range ids {
		padded[b], c.places[b] = make([]int, time), make([]int, time)
		copy(padded[b], row)
		for t := range time {
			c.places[b][t] = min(c.read[b]+t, c.maxLen-1)
		}
	}
	embedded, err := c.model.Embedding.Forward(padded)
	if err != nil {
		return nil, err
	}
	x := embedded.Clone()
	for l, b := range c.model.Blocks {
		y := c.attend(b.Attn, c.keys[l], c.values[l], b.Norm1.Forward(x), ids)
		for i := range x.Data {
			x.Data[i] += y.Data[i]
		}
		y = b.FFN.Forward(b.Norm2.Forward(x))
		for i := range x.Data {
			x.Data[i] += y.Data[i]
		}
	}
	for b, row := range ids {
		c.read[b] += len(row)
	}
	return x, nil
}
