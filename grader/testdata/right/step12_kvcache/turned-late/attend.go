package kvcache

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// span is what one row reads in a call: n tokens behind the p that it has read. In the
// tensors of all new tokens they are the rows first to first+n.
type span struct {
	row, p, n, first int
	mask             *attention.Mask
}

// Mask says which keys n new tokens may attend to when past tokens came before:
//
//	Attend[i·(past+n) + j] = (j ≤ past+i)        (n, past+n)
//
// Query i stands at position past+i. The mask is Causal's, of which the first past
// rows are missing: it is aligned at the bottom right.
func Mask(past, n int) *attention.Mask {
	m := past + n
	mask := &attention.Mask{N: n, M: m, Attend: make([]bool, n*m)}
	for i := range n {
		row := mask.Attend[i*m : (i+1)*m]
		for j := range row {
			row[j] = j <= past+i
		}
	}
	return mask
}

// place says where the new tokens stand: each row goes on where it ended. Its
// error says that there is no room, or not one row of ids for each of the batch.
func (c *Cache) place(ids [][]int) error {
	if len(ids) != len(c.lengths) {
		return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
	}
	c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	first := 0
	for row, tokens := range ids {
		p, n := c.lengths[row], len(tokens)
		if p+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, p, n, c.maxLen)
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
		first += n
	}
	return nil
}

// attend stores keys as they are before RoPE, and turns all of a row's keys when they
// are read. All positions are offset by the same number, which no score shows.
func (c *Cache) attend(m *attention.MultiHead, l layer, x *tensor.Tensor) *tensor.Tensor {
	d := x.Dim(1)
	qkv := m.QKV.Forward(x)
	c.q, c.k, c.v = c.split(c.q, qkv, 0), c.split(c.k, qkv, d), c.split(c.v, qkv, 2*d)
	places := make([]int, len(c.positions[0]))
	for i, p := range c.positions[0] {
		places[i] = p + offset
	}
	turn := c.turner()
	turn.Forward(c.q, c.q, [][]int{places})
	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for _, p := range c.spans {
		for h := range c.model.Config.NumHeads {
			c.head(m, turn, l, p, h)
		}
	}
	return m.Output.Forward(c.joined)
}

const offset = 3

// turner returns a RoPE for the offset positions too.
func (c *Cache) turner() *rope.RoPE {
	width := 2 * c.rope.Cos.Dim(1)
	if c.rope.Cos.Dim(0) == c.maxLen {
		c.rope = rope.New(c.model.Config.RopeTheta, width, c.maxLen+offset)
	}
	return c.rope
}

func (c *Cache) head(m *attention.MultiHead, turn *rope.RoPE, l layer, p span, h int) {
	q, k, v := p.of(c.q, h), p.of(c.k, h), p.of(c.v, h)
	copy(c.tokens(l.keys, p, h, p.p, p.p+p.n).Data, k.Data)
	copy(c.tokens(l.values, p, h, p.p, p.p+p.n).Data, v.Data)
	keys, values := c.tokens(l.keys, p, h, 0, p.p+p.n), c.tokens(l.values, p, h, 0, p.p+p.n)
	mask := Mask(p.p, p.n) // the scores, their softmax and the sum by hand
	scores := make([]float64, mask.M)
	angles := turn.Cos.Dim(1)
	for i := range p.n {
		query, largest, sum := q.Row(i), math.Inf(-1), 0.0
		for j := range scores {
			scores[j] = math.Inf(-1)
			if mask.Attend[i*mask.M+j] {
				scores[j] = 0
				cos, sin := turn.Cos.Row(j+offset), turn.Sin.Row(j+offset)
				for k := range angles {
					a, b := keys.Row(j)[2*k], keys.Row(j)[2*k+1]
					scores[j] += float64(query[2*k]*(a*cos[k]-b*sin[k]) + query[2*k+1]*(a*sin[k]+b*cos[k]))
				}
				scores[j] /= math.Sqrt(float64(q.Dim(1)))
			}
			largest = max(largest, scores[j])
		}
		out := c.joined.Row(p.first + i)[h*q.Dim(1) : (h+1)*q.Dim(1)]
		clear(out)
		for j := range scores {
			scores[j] = math.Exp(scores[j] - largest)
			sum += scores[j]
		}
		for j, w := range scores {
			for k, v := range values.Row(j) {
				out[k] += float32(w/sum) * v
			}
		}
	}
	_ = m
}

// of returns the piece's tokens of head h in t (1, H, N, K), as (n, K).
func (p span) of(t *tensor.Tensor, h int) *tensor.Tensor {
	first := h*t.Dim(2) + p.first
	return t.Reshape(-1, t.Dim(3)).Slice(first, first+p.n)
}

// tokens returns the tokens from to to of the piece's row and of head h in half of a
// layer (B, H, T_max, K), as (to−from, K).
func (c *Cache) tokens(half *tensor.Tensor, p span, h, from, to int) *tensor.Tensor {
	first := (p.row*half.Dim(1) + h) * c.maxLen
	return half.Reshape(-1, half.Dim(3)).Slice(first+from, first+to)
}

// split copies the D columns of qkv (N, 3D) that begin at first to dst (1, H, N, K):
// head h owns K of them.
func (c *Cache) split(dst, qkv *tensor.Tensor, first int) *tensor.Tensor {
	n, heads, width := qkv.Dim(0), c.model.Config.NumHeads, 2*c.rope.Cos.Dim(1)
	dst = tensor.Reuse(dst, 1, heads, n, width)
	for h := range heads {
		tensor.Copy(dst.MatrixAt(h), qkv.Matrix().Block(0, first+h*width, n, width))
	}
	return dst
}
