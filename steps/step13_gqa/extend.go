package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// Extend reads n more tokens x (n, D) of a text of which past were read before, and
// returns y (n, D): what Forward returns for them in the whole text at the positions
// 0, 1, …. keys and values (H_kv, T_max, K) hold what was computed of the past tokens,
// in their first past places, keys after RoPE:
//
//	q, k, v           = as in Forward, at the positions past, …, past+n−1
//	keys[g, past:]    = k[g],  values[g, past:] = v[g]              for each g of H_kv
//	heads[h]          = Attention(q[h], keys[g, :past+n], values[g, :past+n])
//	                    with g = ⌊h/(H/H_kv)⌋, masked by kvcache.Mask(past, n)
//	y                 = (heads, joined to (n, D)) W_Oᵀ
//
// It uses the layer's buffers and so stands in the way of a Backward. y is valid until
// the layer is used again. x is not changed, nor are keys and values but for the n
// places.
//
// It panics with a ShapeError if x is not (n, D) or keys and values are not both
// (H_kv, T_max, K), and with an IndexError if past is negative, if past+n is more than
// T_max, or if a position is not in RoPE's tables. Then keys and values are as before.
func (m *MultiHead) Extend(x *tensor.Tensor, past int, keys, values *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step13: MultiHead.Extend"))
}
