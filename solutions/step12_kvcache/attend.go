package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
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
		first += n
	}
	return nil
}

// attend is MultiHead.Forward for new tokens x (N, D), which attend to themselves
// and to what the layer holds of their row:
//
//	q, k, v     = x W_QKVᵀ, split into heads         (H, N, K)
//	q, k        = RoPE(q), RoPE(k)                   at the positions p, …, p+n−1
//	keys[p:p+n] = k,  values[p:p+n] = v              row by row, head by head
//	y           = Attention(q, keys[0:p+n], values[0:p+n]) W_Oᵀ
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
			y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
			tensor.Copy(c.joined.Matrix().Block(first, h*d/heads, n, d/heads), y.Matrix())
		}
	}
	return m.Output.Forward(c.joined)
}

// head returns head i of t (B, H, T, K), counted through all rows of the batch, as (T, K).
func head(t *tensor.Tensor, i int) *tensor.Tensor {
	return t.SliceRows(i*t.Dim(2), (i+1)*t.Dim(2))
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
