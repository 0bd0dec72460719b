package gqa

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
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
	tensor.CheckShape("gqa.Repeat: kv", kv, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	batch, kvHeads := kv.Dim(0), kv.Dim(1)
	group := groupSize("gqa.Repeat: kv", kv, numHeads, kvHeads)
	dst = tensor.Reuse(dst, batch, numHeads, kv.Dim(2), kv.Dim(3))
	for b := range batch {
		for h := range numHeads {
			copy(head(dst, b, h), head(kv, b, h/group))
		}
	}
	return dst
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
	tensor.CheckShape("gqa.SumGroups: d", d, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	batch, heads := d.Dim(0), d.Dim(1)
	group := groupSize("gqa.SumGroups: d", d, heads, numKVHeads)
	dst = tensor.Reuse(dst, batch, numKVHeads, d.Dim(2), d.Dim(3))
	dst.Zero()
	for b := range batch {
		for h := range heads {
			sum := head(dst, b, h/group)
			kernel.Add(sum, sum, head(d, b, h))
		}
	}
	return dst
}

// groupSize returns H/H_kv. It panics with the shape of t unless that is a whole
// number.
func groupSize(op string, t *tensor.Tensor, heads, kvHeads int) int {
	if heads <= 0 || kvHeads <= 0 || heads%kvHeads != 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("%s: %d heads do not divide into %d groups", op, heads, kvHeads),
			Got: t.Shape})
	}
	return heads / kvHeads
}

// head returns the T·K numbers of head h of sequence b in t (B, H, T, K).
func head(t *tensor.Tensor, b, h int) []float32 {
	size := t.Dim(2) * t.Dim(3)
	first := (b*t.Dim(1) + h) * size
	return t.Data[first : first+size]
}
