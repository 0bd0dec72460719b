package windows

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Causal returns the mask of n tokens that are read from left to right. It stands in
// for that of step 08 and has no Attend, which would be N² entries: who stands in here
// lets nobody see what comes later anyway.
func Causal(n int) *attention.Mask { return &attention.Mask{N: n, M: n} }

// checkMask panics with a ShapeError unless the mask fits n queries and m keys at each
// of the given number of leading indices. A nil mask fits everything.
func checkMask(mask *attention.Mask, leading, n, m int) {
	if mask == nil {
		return
	}
	if mask.N != n || mask.M != m {
		panic(tensor.ShapeError{Op: "Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
	}
	if length := len(mask.Attend); length != 0 && length != n*m && length != leading*n*m {
		panic(tensor.ShapeError{Op: "Forward: length of mask.Attend", Got: []int{length}, Want: []int{leading * n * m}})
	}
}

// allows reports whether a mask that fits lets query i of a leading index attend to key j.
func allows(mask *attention.Mask, leading, i, j int) bool {
	if mask == nil || len(mask.Attend) == 0 {
		return true
	}
	at := leading * mask.N * mask.M % len(mask.Attend) // 0 if one mask is for all
	return mask.Attend[at+i*mask.M+j]
}
