// Package flash computes attention in tiles: the scores of some queries and some
// keys at a time, so that the N×M scores never exist as a whole.
//
// Letters: N queries, M keys, K d_k, C the width of a value, R the queries of a tile
// and J its keys; "…" stands for any leading dimensions, usually (B, H).
//
// What is given is written out: Causal, and the check of a mask. Mask is that of step
// 08, whose Attend may be missing here.
package flash

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Attention is scaled dot-product attention in tiles. It has no parameters. The zero
// value is ready for use. It computes what that of step 08 computes, and can stand in
// for it.
//
// Source: Dao et al., "FlashAttention", 2022, and Dao, "FlashAttention-2", 2023,
// section 3.1; the running maximum and sum are Milakov and Gimelshein's, 2018.
type Attention struct {
	// A tile holds the scores of TileN queries and TileM keys, or of fewer at the end; 0
	// stands for a number of your choice, such as 128. They may divide N and M or not, and
	// are read by Forward.
	TileN, TileM int

	// Yours: what Backward needs, which is of size N and not N·M, and the tensors that
	// are used again in every call.
}

// Forward computes what Attention.Forward of step 08 computes,
//
//	S = q kᵀ / √K              (N, M)  where the mask does not allow a pair, −Inf
//	L = ln Σⱼ e^S              (N)     by the row, −Inf for one that may attend nowhere
//	y = e^(S−L) v              (N, C)  0 for such a row
//
// with memory for one tile of S: for every tile of queries it goes through the tiles
// of the keys. Tiles of which a causal mask hides everything are left out.
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). A nil mask allows
// everything. A mask without Attend is causal, and aligned at the bottom right: the
// last query may attend to all keys, and each one before it to one key less,
//
//	i may attend to j where j ≤ i + M − N
//
// With Attend it is what it is in step 08: N·M entries, or as many for each leading
// index.
//
// Forward keeps q, k, v, mask and y for Backward: the caller leaves them unchanged
// until then. y is valid until the next Forward. It panics with a ShapeError if the
// shapes do not fit together or the size of a tile is negative.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	panic(tensor.TODO("step16: Attention.Forward"))
}

// LogSumExp returns L (…, N) of the last Forward: the logarithm of the sum of e^S, for
// every query. It is valid until the next Forward.
func (a *Attention) LogSumExp() *tensor.Tensor {
	panic(tensor.TODO("step16: Attention.LogSumExp"))
}

// Weights returns the softmax P (…, N, M) of the last Forward, for those who want to
// see what attends to what. It is computed when it is asked for, takes the memory that
// Forward saves, and is valid until the next Forward.
func (a *Attention) Weights() *tensor.Tensor {
	panic(tensor.TODO("step16: Attention.Weights"))
}
