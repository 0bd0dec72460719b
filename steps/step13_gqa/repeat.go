package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// Repeat gives every one of numHeads heads the head of kv (B, H_kv, T, K) that it
// reads, as (B, H, T, K):
//
//	y[b, h] = kv[b, ⌊h/(H/H_kv)⌋]
//
// The heads of a group are neighbours: with H = 6 and H_kv = 2 they read 0 0 0 1 1 1.
// y is written to dst, which must not be kv, or to a new tensor if dst is nil. kv is
// not changed. It panics with a ShapeError if kv has other than four dimensions or
// numHeads is not a positive multiple of H_kv.
func Repeat(dst, kv *tensor.Tensor, numHeads int) *tensor.Tensor {
	panic(tensor.TODO("step13: Repeat"))
}

// SumGroups is Repeat's derivative. It adds up what the heads of each group send
// back in d (B, H, T, K), as (B, H_kv, T, K):
//
//	dkv[b, g] = Σ d[b, h] over the heads h with ⌊h/(H/H_kv)⌋ = g
//
// dkv is written to dst, which must not be d, or to a new tensor if dst is nil; what
// dst held is gone. d is not changed. It panics with a ShapeError if d has other
// than four dimensions or numKVHeads is not positive or does not divide H.
func SumGroups(dst, d *tensor.Tensor, numKVHeads int) *tensor.Tensor {
	panic(tensor.TODO("step13: SumGroups"))
}
