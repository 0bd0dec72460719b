//go:build unlisted

package gqa

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// no-groups-no-copy: Repeat returns kv itself if there is a head for every head
//
// Why: y is written to dst. A caller's dst stays as it was, and who changes y changes kv.
func Repeat() {
	if right {
		dst = tensor.Reuse(dst, batch, numHeads, kv.Dim(2), kv.Dim(3))
	} else {
		if group == 1 {
			return kv
		}
		dst = tensor.Reuse(dst, batch, numHeads, kv.Dim(2), kv.Dim(3))
	}
}

// sum-in-the-first-head: SumGroups adds up each group in d, in the place of its first head
//
// Why: the sums are right and d is changed, which it must not be; a second SumGroups of the same d counts most heads twice.
func SumGroups() {
	if right {
		for b := range batch {
			for h := range heads {
				sum := head(dst, b, h/group)
				kernel.Add(sum, sum, head(d, b, h))
			}
		}
	} else {
		for b := range batch {
			for h := range heads {
				first := head(d, b, h/group*group)
				if h%group > 0 {
					kernel.Add(first, first, head(d, b, h))
				}
				copy(head(dst, b, h/group), first)
			}
		}
	}
}

// sums-keep-their-old-shape: SumGroups takes dst as it is if it has the right number of elements
//
// Why: dst may be of another call, (2, 1, 3, K) in place of (1, 3, 2, K). The sums then have the shape that dst had, and are scattered wrongly.
func SumGroups() {
	if right {
		dst = tensor.Reuse(dst, batch, numKVHeads, d.Dim(2), d.Dim(3))
	} else {
		if dst == nil || dst.Len() != batch*numKVHeads*d.Dim(2)*d.Dim(3) {
			dst = tensor.New(batch, numKVHeads, d.Dim(2), d.Dim(3))
		}
	}
	if right {
		for b := range batch {
			for h := range heads {
				sum := head(dst, b, h/group)
				kernel.Add(sum, sum, head(d, b, h))
			}
		}
	} else {
		size := d.Dim(2) * d.Dim(3)
		for b := range batch {
			for h := range heads {
				at := (b*numKVHeads + h/group) * size
				sum := dst.Data[at : at+size]
				kernel.Add(sum, sum, head(d, b, h))
			}
		}
	}
}

// values-before-the-positions-are-known: Extend stores the values before RoPE has seen the positions
//
// Why: a position that is not in RoPE's tables is an IndexError, and then keys and values are as before; here the values are not.
func (*MultiHead) Extend() {
	if right {
		m.project(x.Reshape(1, n, d), places(past, n))
	} else {
		v := split(nil, m.QKV.Forward(x.Reshape(1, n, d)), d+m.kvHeads*width, m.kvHeads, width)
		for g := range m.kvHeads {
			copy(tokens(values, g, past, end).Data, head(v, 0, g))
		}
		m.project(x.Reshape(1, n, d), places(past, n))
	}
	if right {
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
	} else {
	}
}

// values-may-be-of-another-length: Extend checks the heads and the width of values, and not their T_max
//
// Why: keys and values must both be (H_kv, T_max, K). Longer values are accepted, too short ones panic with something else or after keys have changed.
func (*MultiHead) Extend() {
	if right {
		tensor.CheckShape("MultiHead.Extend: values", values, keys.Shape...)
	} else {
		tensor.CheckShape("MultiHead.Extend: values", values, m.kvHeads, tensor.Any, width)
	}
}

// extend-leaves-its-mask: Extend keeps its mask where Forward keeps the causal one
//
// Why: a Forward on n tokens after an Extend by n takes the mask for n queries and past+n keys for its own, and refuses a sequence that is right.
func (*MultiHead) Extend() {
	if right {
		mask, group := kvcache.Mask(past, n), m.heads/m.kvHeads
	} else {
		m.mask = kvcache.Mask(past, n)
		mask, group := m.mask, m.heads/m.kvHeads
	}
}

// clears-what-lies-behind: Extend sets the places behind the new tokens to 0
//
// Why: keys and values change in the n places only. What the caller keeps behind them, such as a text that it goes back to, is gone.
func (*MultiHead) Extend() {
	if right {
		copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
	} else {
		copy(tokens(keys, g, past, end).Data, head(m.k, 0, g))
		copy(tokens(values, g, past, end).Data, head(m.v, 0, g))
		tokens(keys, g, end, room).Zero()
		tokens(values, g, end, room).Zero()
	}
}

// repeated-keys-shared-by-all-layers: the repeated keys and values of all layers are in two buffers of the package
//
// Why: Attention keeps them for Backward. After the Forward of a second layer, the first one's gradients are made from the second one's keys and values.
func (*MultiHead) Forward() {
	if right {
		m.keys = Repeat(m.keys, m.k, m.heads)
		m.values = Repeat(m.values, m.v, m.heads)
		heads := m.Attention.Forward(m.q, m.keys, m.values, m.mask)
	} else {
		allKeys = Repeat(allKeys, m.k, m.heads)
		allValues = Repeat(allValues, m.v, m.heads)
		heads := m.Attention.Forward(m.q, allKeys, allValues, m.mask)
	}
}

var allKeys, allValues *tensor.Tensor

// mask-kept-while-it-is-large-enough: Forward keeps the mask of a longer sequence and cuts its list to the new size
//
// Why: the first T·T entries of a larger mask are not the mask of T tokens: after a longer sequence, tokens of a shorter one do not see what they may, and see later ones.
func (*MultiHead) Forward() {
	if right {
		if seq := x.Dim(1); m.mask == nil || m.mask.N != seq {
			m.mask = attention.Causal(seq)
		}
	} else {
		if seq := x.Dim(1); m.mask == nil || m.mask.N < seq {
			m.mask = attention.Causal(seq)
		} else {
			m.mask = &attention.Mask{N: seq, M: seq, Attend: m.mask.Attend[:seq*seq]}
		}
	}
}
