//go:build unlisted

package kvcache

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// a-goroutine-for-each-head: the heads are attended to by goroutines of their own, the last row first
//
// Why: No head needs another.
func (c *Cache) attend(m *attention.MultiHead, l layer, x *tensor.Tensor) *tensor.Tensor {
	d, heads := x.Dim(1), c.model.Config.NumHeads
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q = c.split(c.q, qkv, 0)
	c.k = c.split(c.k, qkv, d)
	c.v = c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)

	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for len(c.ask) < heads {
		c.ask = append(c.ask, &attention.Attention{})
	}
	var wait sync.WaitGroup
	for h := range heads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := len(c.spans) - 1; i >= 0; i-- {
				s := c.spans[i]
				p, n, first := s.p, s.n, s.first
				q, k := head(c.q, h).Slice(first, first+n), head(c.k, h).Slice(first, first+n)
				v := head(c.v, h).Slice(first, first+n)
				keys, values := head(l.keys, s.row*heads+h), head(l.values, s.row*heads+h) // (T_max, K)

				copy(keys.Slice(p, p+n).Data, k.Data)   // keys[p:p+n] = k
				copy(values.Slice(p, p+n).Data, v.Data) // values[p:p+n] = v
				y := c.ask[h].Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
				tensor.Copy(c.joined.Matrix().Block(first, h*d/heads, n, d/heads), y.Matrix())
			}
		}()
	}
	wait.Wait()
	return m.Output.Forward(c.joined)
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer // one for each block
	lengths []int   // tokens that each row has read
	maxLen  int     // T_max

	ask       []*attention.Attention // one for each head, which work at the same time
	spans     []span                 // what the rows read in this call
	positions [][]int                // (1, N)
	x         *tensor.Tensor         // (N, D), the stream of activations
	q, k, v   *tensor.Tensor         // (1, H, N, K)
	joined    *tensor.Tensor         // (N, D), the heads side by side
	last      *tensor.Tensor         // (B, D), the end of each row
}
