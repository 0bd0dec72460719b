//go:build goexperiment.simd && amd64

package training

import "simd/archsimd"

// simdTile returns the vectorised Tile for this processor, or nil if it has
// neither AVX-512 nor AVX2 with FMA.
func simdTile() tileFunc {
	switch {
	case archsimd.X86.AVX512():
		return tile512
	case archsimd.X86.AVX2() && archsimd.X86.FMA():
		return tile256
	}
	return nil
}

// tile512 is Tile in registers of 16 numbers. sIJ holds the sums of row I,
// columns 16·J to 16·J + 15. Every step loads a row of 32 numbers of B once,
// and multiplies it by four numbers of A, each spread over a whole register.
//
// The eight sums, two of B and one of A are 11 registers. Go's compiler
// uses fifteen; a tile that needs more is spilled to memory in every step and
// is many times slower.
func tile512(k int, a, b, c []float32, ldc int, accumulate bool) {
	var s00, s01, s10, s11, s20, s21, s30, s31 archsimd.Float32x16
	a, b = a[:k*TileRows], b[:k*TileCols]
	for len(a) >= TileRows && len(b) >= TileCols { // in this form the compiler needs no further checks of bounds
		b0, b1 := archsimd.LoadFloat32x16((*[16]float32)(b)), archsimd.LoadFloat32x16((*[16]float32)(b[16:]))
		x := archsimd.BroadcastFloat32x16(a[0])
		s00, s01 = x.MulAdd(b0, s00), x.MulAdd(b1, s01)
		x = archsimd.BroadcastFloat32x16(a[1])
		s10, s11 = x.MulAdd(b0, s10), x.MulAdd(b1, s11)
		x = archsimd.BroadcastFloat32x16(a[2])
		s20, s21 = x.MulAdd(b0, s20), x.MulAdd(b1, s21)
		x = archsimd.BroadcastFloat32x16(a[3])
		s30, s31 = x.MulAdd(b0, s30), x.MulAdd(b1, s31)
		a, b = a[TileRows:], b[TileCols:]
	}
	store512(c, s00, s01, accumulate)
	store512(c[ldc:], s10, s11, accumulate)
	store512(c[2*ldc:], s20, s21, accumulate)
	store512(c[3*ldc:], s30, s31, accumulate)
	archsimd.ClearAVXUpperBits() // registers that are left half used slow down all scalar code that follows
}

// store512 writes one row of a tile.
func store512(row []float32, s0, s1 archsimd.Float32x16, accumulate bool) {
	if accumulate {
		s0 = s0.Add(archsimd.LoadFloat32x16Slice(row))
		s1 = s1.Add(archsimd.LoadFloat32x16Slice(row[16:]))
	}
	s0.StoreSlice(row)
	s1.StoreSlice(row[16:])
}

// tile256 is Tile in registers of 8 numbers. A row of the tile takes four of
// them, and four rows would take sixteen, so the tile is done in two halves.
func tile256(k int, a, b, c []float32, ldc int, accumulate bool) {
	const half = TileCols / 2
	a, b = a[:k*TileRows], b[:k*TileCols]
	half256(a, b, c, ldc, accumulate)
	half256(a, b[min(half, len(b)):], c[half:], ldc, accumulate)
}

// half256 computes the first half of the columns of a tile, from the first half
// of every row of b.
func half256(a, b, c []float32, ldc int, accumulate bool) {
	var s00, s01, s10, s11, s20, s21, s30, s31 archsimd.Float32x8
	for ; len(a) >= TileRows && len(b) >= TileCols/2; a = a[TileRows:] {
		b0, b1 := archsimd.LoadFloat32x8((*[8]float32)(b)), archsimd.LoadFloat32x8((*[8]float32)(b[8:]))
		v := archsimd.BroadcastFloat32x8(a[0])
		s00, s01 = v.MulAdd(b0, s00), v.MulAdd(b1, s01)
		v = archsimd.BroadcastFloat32x8(a[1])
		s10, s11 = v.MulAdd(b0, s10), v.MulAdd(b1, s11)
		v = archsimd.BroadcastFloat32x8(a[2])
		s20, s21 = v.MulAdd(b0, s20), v.MulAdd(b1, s21)
		v = archsimd.BroadcastFloat32x8(a[3])
		s30, s31 = v.MulAdd(b0, s30), v.MulAdd(b1, s31)
		if len(b) < TileCols {
			break // that was the last row
		}
		b = b[TileCols:]
	}
	store256(c, s00, s01, accumulate)
	store256(c[ldc:], s10, s11, accumulate)
	store256(c[2*ldc:], s20, s21, accumulate)
	store256(c[3*ldc:], s30, s31, accumulate)
	archsimd.ClearAVXUpperBits()
}

// store256 writes one row of half a tile.
func store256(row []float32, s0, s1 archsimd.Float32x8, accumulate bool) {
	if accumulate {
		s0 = s0.Add(archsimd.LoadFloat32x8Slice(row))
		s1 = s1.Add(archsimd.LoadFloat32x8Slice(row[8:]))
	}
	s0.StoreSlice(row)
	s1.StoreSlice(row[8:])
}
