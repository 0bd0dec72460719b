package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

func Mask(past, n int) *attention.Mask {
	mask := &attention.Mask{N: n, M: past + n}
	for i := past; i < past+n; i++ {
		for j := range past + n {
			mask.Attend = append(mask.Attend, i >= j)
		}
	}
	return mask
}

// attend puts the new tokens of all rows through one Attention over all T_max places,
// with a mask that hides what no row has written.
func (c *Cache) attend(m *attention.MultiHead, keys, values, x *tensor.Tensor, ids [][]int) *tensor.Tensor {
	heads, d := c.model.Config.NumHeads, x.Dim(2)
	batch, time, width := x.Dim(0), x.Dim(1), d/heads
	qkv := m.QKV.Forward(x)
	part := func(first int) *tensor.Tensor {
		y := tensor.New(batch, heads, time, width)
		for b := range batch {
			for h := range heads {
				for t := range time {
					copy(y.Row((b*heads+h)*time+t), qkv.Row(b*time + t)[first+h*width:])
				}
			}
		}
		return y
	}
	q, k, v := part(0), part(d), part(2*d)
	q, k = c.rope.Forward(q, q, c.places), c.rope.Forward(k, k, c.places)
	attend := make([]bool, 0, batch*heads*time*c.maxLen)
	for b := range batch {
		for h := range heads {
			for t := range time {
				if t < len(ids[b]) {
					at := (b*heads+h)*c.maxLen + c.read[b] + t
					copy(keys.Row(at), k.Row((b*heads+h)*time+t))
					copy(values.Row(at), v.Row((b*heads+h)*time+t))
				}
				for j := range c.maxLen {
					attend = append(attend, t < len(ids[b]) && j <= c.read[b]+t)
				}
			}
		}
	}
	y := m.Attention.Forward(q, keys, values, &attention.Mask{N: time, M: c.maxLen, Attend: attend})
	joined := tensor.New(batch, time, d)
	for b := range batch {
		for h := range heads {
			for t := range time {
				copy(joined.Row(b*time + t)[h*width:], y.Row((b*heads+h)*time+t))
			}
		}
	}
	return m.Output.Forward(joined)
}
