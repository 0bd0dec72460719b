package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// piece is what one row reads in a call: n tokens behind the past ones. In the
// tensors of all new tokens they are the rows first to first+n.
type piece struct {
	row, past, n, first int
	mask                *attention.Mask
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
	c.pieces, c.positions = c.pieces[:0], append(c.positions[:0], nil)
	first := 0
	for row, tokens := range ids {
		past, n := c.lengths[row], len(tokens)
		if past+n > c.maxLen {
			return fmt.Errorf("Cache: row %d has read %d tokens, and %d more are more than the %d that there is room for", row, past, n, c.maxLen)
		}
		if n == 0 {
			continue
		}
		p := piece{row: row, past: past, n: n, first: first}
		if n > 1 { // a single token may attend to everything that there is
			p.mask = Mask(past, n)
		}
		c.pieces = append(c.pieces, p)
		for i := range n {
			c.positions[0] = append(c.positions[0], past+i)
		}
		first += n
	}
	return nil
}

// attend is MultiHead.Forward for new tokens x (N, D), which attend to themselves
// and to what the layer holds of their row:
//
//	q, k, v    = x W_QKVᵀ, split into heads          (H, N, K)
//	q, k       = RoPE(q), RoPE(k)                    at the positions p, …, p+n−1
//	keys[p:]   = k,  values[p:] = v                  row by row, head by head
//	y          = Attention(q, keys[:p+n], values[:p+n]) W_Oᵀ
func (c *Cache) attend(m *attention.MultiHead, l layer, x *tensor.Tensor) *tensor.Tensor {
	d := x.Dim(1)
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q = c.split(c.q, qkv, 0)
	c.k = c.split(c.k, qkv, d)
	c.v = c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)

	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for _, p := range c.pieces {
		for h := range c.model.Config.NumHeads {
			c.head(m, l, p, h)
		}
	}
	return m.Output.Forward(c.joined)
}

// head appends one row's new keys and values of head h to the layer, and lets its
// queries attend.
func (c *Cache) head(m *attention.MultiHead, l layer, p piece, h int) {
	q, k, v := p.of(c.q, h), p.of(c.k, h), p.of(c.v, h) // (n, K)
	copy(c.tokens(l.keys, p, h, p.past, p.past+p.n).Data, k.Data)
	copy(c.tokens(l.values, p, h, p.past, p.past+p.n).Data, v.Data)

	keys, values := c.tokens(l.keys, p, h, 0, p.past+p.n), c.tokens(l.values, p, h, 0, p.past+p.n)
	y := m.Attention.Forward(q, keys, values, p.mask) // (n, K)
	tensor.Copy(c.joined.Matrix().Block(p.first, h*q.Dim(1), p.n, q.Dim(1)), y.Matrix())
}

// of returns the piece's tokens of head h in t (1, H, N, K), as (n, K).
func (p piece) of(t *tensor.Tensor, h int) *tensor.Tensor {
	first := h*t.Dim(2) + p.first
	return t.SliceRows(first, first+p.n)
}

// tokens returns the tokens from to to of the piece's row and of head h in half of a
// layer (B, H, T_max, K), as (to−from, K).
func (c *Cache) tokens(half *tensor.Tensor, p piece, h, from, to int) *tensor.Tensor {
	first := (p.row*half.Dim(1) + h) * c.maxLen
	return half.SliceRows(first+from, first+to)
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
