//go:build unlisted

package kvcache

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// token-by-token: a call reads its tokens one after the other, each through all blocks, and puts the ends together for the head
//
// Why: a token's output depends on itself and on what came before, so every way to cut a text is right, this one as well. Errors are found before the first is read.
func (c *Cache) read(ids [][]int) (*tensor.Tensor, error) {
	if err := c.place(ids); err != nil {
		return nil, err
	}
	vocab, total := c.model.Config.VocabSize, 0
	for row, tokens := range ids {
		if i := slices.IndexFunc(tokens, func(id int) bool { return id < 0 || id >= vocab }); i >= 0 {
			return nil, fmt.Errorf("Cache: row %d: %w", row, tensor.IndexError{Op: fmt.Sprintf("ids[%d]", i), Got: tokens[i], Limit: vocab})
		}
		total += len(tokens)
	}
	whole, out := slices.Clone(c.spans), tensor.New(total, c.model.Config.DModel)
	for _, s := range whole {
		for i, id := range ids[s.row] {
			c.spans = []span{{row: s.row, p: s.p + i, n: 1, first: 0}}
			c.positions = [][]int{{s.p + i}}
			c.x = tensor.Reuse(c.x, 1, c.model.Config.DModel)
			embedded, err := c.model.Embedding.Forward([][]int{{id}})
			if err != nil {
				return nil, err
			}
			copy(c.x.Data, embedded.Data)
			for l, b := range c.model.Blocks {
				kernel.Add(c.x.Data, c.x.Data, c.attend(b.Attn, c.layers[l], b.Norm1.Forward(c.x)).Data)
				kernel.Add(c.x.Data, c.x.Data, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
			}
			copy(out.Row(s.first+i), c.x.Data)
			c.lengths[s.row]++
		}
	}
	c.spans = whole
	return out, nil
}

// own-attention: the queries look at the keys and values in plain loops in float64 and need no mask: query i reads as far as its own position
//
// Why: the keys behind its position are those that the mask would hide.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
		tensor.Copy(c.joined.Matrix().Block(first, h*d/heads, n, d/heads), y.Matrix())
	} else {
		width := q.Dim(1)
		for i := range n {
			keys, values := keys.Slice(0, p+i+1), values.Slice(0, p+i+1)
			scores, largest := make([]float64, p+i+1), math.Inf(-1)
			for j := range scores {
				for x, key := range keys.Row(j) {
					scores[j] += float64(key) * float64(q.Row(i)[x])
				}
				scores[j] /= math.Sqrt(float64(width))
				largest = max(largest, scores[j])
			}
			sum, mean := 0.0, make([]float64, width)
			for j, s := range scores {
				weight := math.Exp(s - largest)
				sum += weight
				for x, value := range values.Row(j) {
					mean[x] += weight * float64(value)
				}
			}
			y := c.joined.Row(first + i)[h*width : (h+1)*width]
			for x := range y {
				y[x] = float32(mean[x] / sum)
			}
		}
	}
}

func Mask(past, n int) *attention.Mask {
	whole := attention.Causal(past + n)
	return &attention.Mask{N: n, M: past + n, Attend: whole.Attend[past*(past+n):]}
}
