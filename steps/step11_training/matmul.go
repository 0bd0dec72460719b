// Package training turns a fresh model into one that has learnt: the matrix
// product under everything, the optimiser, the data, the checkpoints, and the
// loop that brings them together.
// This is step 11; the lesson is in README.md beside this file.
//
// Letters: B batch, T time (context), V vocabulary; m, n and k are the sizes of
// a matrix product.
//
// The parts are graded on their own and can be written in any order:
//
//	a  matmul.go, micro.go, micro_simd.go    d  clip.go
//	b  adamw.go                              e  data.go
//	c  schedule.go                           f  checkpoint.go
//	                                         g  train.go, run.go
package training

import "github.com/stubformer/stubformer/reference/tensor"

// Naive computes the same product as MatMul straight from its definition, with
// three loops: where you start, and what you can hold MatMul against. The
// arguments are MatMul's. Matrix.At and Set read and write one element.
func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	panic(tensor.TODO("step11: Naive"))
}

// MatMul computes a matrix product:
//
//	dst  = a·b   if accumulate is false: dst is overwritten, whatever it held, NaN too
//	dst += a·b   if it is true
//
// a is (m, k), b is (k, n), dst is (m, n). They are views: element (i, j) of a is
// a.Data[i*a.Down + j*a.Right], and one of Down and Right is 1. The rows of dst
// lie in one piece (dst.Right is 1); a and b may be transposed (then Down is 1),
// and all three parts of larger matrices. Sizes may be 0; k = 0 is a sum of
// nothing, so dst is cleared unless accumulate is set. dst must not overlap a or
// b; what lies between the rows of dst is not touched. The caller has made sure
// that the sizes agree. MatMul panics if a slice is too short, and does so in the
// caller's goroutine: look at all three before you start other goroutines, whose
// panics nobody could recover. Matrix.Block(0, 0, Rows, Cols) looks.
//
// The loops work on blocks. A block of b is packed: it is copied into panels that
// have as many columns as the micro-kernel's tile, in the order in which they are
// read; the last panel is filled up with zeros. Blocks of a are packed in the same
// way, in panels of rows. The micro-kernel computes one tile of dst at a time:
//
//	for columns j0 of dst in blocks, for p0 of k in blocks
//	    pack b[p0:, j0:]
//	    for rows i0 of dst in tiles
//	        pack a[i0:, p0:]
//	        for columns j of the block in tiles
//	            micro-kernel: dst[i0:, j:] = or += panel of a · panel of b
//
// Only the first block of k overwrites dst; the others add to it. A tile that
// sticks out of dst is computed in a scratch tile, and the part inside is carried
// over. Matrix.Block is a part of a matrix, and a panel of a is the transpose of
// its rows: one packing function serves a and, given bᵀ, b, however they are
// stored. tensor.Copy copies a view to another.
//
// Use the micro-kernel kernel.Best(), or Tile of this package where it is
// vectorised. Large products are divided among goroutines, each with rows or
// columns of dst of its own; the result must be the same bit for bit whatever
// GOMAXPROCS is. Keep the memory for the panels in a sync.Pool.
//
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, section 4.
func MatMul(dst, a, b tensor.Matrix, accumulate bool) {
	panic(tensor.TODO("step11: MatMul"))
}
