//go:build goexperiment.simd && amd64

package training

import "github.com/stubformer/stubformer/reference/tensor"

// simdTile returns a Tile that is written with vector instructions, from the
// package simd/archsimd, or nil if this processor cannot run it:
// archsimd.X86.AVX512() and archsimd.X86.AVX2() tell.
//
// This file is compiled only with GOEXPERIMENT=simd in the environment, which
// grade sets for the checks that need it. Your editor needs it too.
//
//	var sum archsimd.Float32x16                              sixteen sums, all 0
//	y := archsimd.LoadFloat32x16((*[16]float32)(b))          sixteen numbers from memory
//	x := archsimd.BroadcastFloat32x16(a[0])                  one number, sixteen times
//	sum = x.MulAdd(y, sum)                                   x·y + sum, all sixteen at once
//	sum.Store((*[16]float32)(c))
//	archsimd.ClearAVXUpperBits()                             at the end of every such function
//
// Use Float32x8 for AVX2. No more than fifteen such variables are kept in
// registers; with more the function becomes many times slower.
func simdTile() tileFunc {
	panic(tensor.TODO("step11: simdTile"))
}
