//go:build unlisted

package kvcache

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"math"
	"sync"
)

// online-softmax: online softmax
//
// Why: Attention is written out in loops instead of being that of step 08: one pass over the keys for each query, with a running maximum and float64 sums, in goroutines, one for each head. No mask is needed, since a query simply stops at its own place. Values agree with step 08's up to rounding, the buffers are those of the contract, and nothing but the score row is different; Mask is written as asked.
type span struct {
	row, p, n, first int
}

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
		c.spans = append(c.spans, s)
		for i := range n {
			c.positions[0] = append(c.positions[0], p+i)
		}
		first += n
	}
	return nil
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
	var wait sync.WaitGroup
	for h := range heads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			c.attendHead(h, heads, l)
		}()
	}
	wait.Wait()
	return m.Output.Forward(c.joined)
}

func (c *Cache) attendHead(h, heads int, l layer) {
	q, k, v := head(c.q, h), head(c.k, h), head(c.v, h) // (N, K)
	width := q.Dim(1)
	sums := make([]float64, width)
	for _, s := range c.spans {
		keys, values := head(l.keys, s.row*heads+h), head(l.values, s.row*heads+h) // (T_max, K)
		copy(keys.Slice(s.p, s.p+s.n).Data, k.Slice(s.first, s.first+s.n).Data)
		copy(values.Slice(s.p, s.p+s.n).Data, v.Slice(s.first, s.first+s.n).Data)
		for i := range s.n {
			mix(sums, q.Row(s.first+i), keys, values, s.p+i+1)
			out := c.joined.Row(s.first + i)[h*width : (h+1)*width]
			for j, sum := range sums {
				out[j] = float32(sum)
			}
		}
	}
}

func mix(y []float64, q []float32, keys, values *tensor.Tensor, m int) {
	largest, total := math.Inf(-1), 0.0
	clear(y)
	for j := range m {
		score := 0.0
		for i, x := range keys.Row(j) {
			score += float64(q[i]) * float64(x)
		}
		score /= math.Sqrt(float64(len(q)))
		if score > largest {
			shrink := math.Exp(largest - score)
			total *= shrink
			for i := range y {
				y[i] *= shrink
			}
			largest = score
		}
		weight := math.Exp(score - largest)
		total += weight
		for i, x := range values.Row(j) {
			y[i] += weight * float64(x)
		}
	}
	for i := range y {
		y[i] /= total
	}
}
