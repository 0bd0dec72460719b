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
// arguments are MatMul's.
func Naive(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	panic(tensor.TODO("step11: Naive"))
}

// MatMul computes a matrix product:
//
//	C  = op(A)·op(B)   if accumulate is false: C is overwritten, whatever it held, NaN too
//	C += op(A)·op(B)   if it is true
//
// op(A) is (m, k), op(B) is (k, n), C is (m, n), row-major. transA says that A
// is stored as (k, m), transB that B is stored as (n, k); lda, ldb and ldc are
// the distances between the starts of two rows as stored. Sizes may be 0; k = 0
// is a sum of nothing, so C is cleared unless accumulate is set. C must not
// overlap A or B; what lies between the rows of C is not touched. It panics if a
// slice is too short.
//
// The loops work on blocks. A block of op(B) is packed: copied into panels of as
// many columns as the micro-kernel's tile has, in the order in which it is read,
// the last panel filled up with zeros; op(A) the same in panels of rows. Around
// the micro-kernel there is a tile of C at a time:
//
//	for columns j0 of C in blocks, for p0 of k in blocks
//	    pack op(B)[p0:, j0:]
//	    for rows i0 of C in tiles
//	        pack op(A)[i0:, p0:]
//	        for columns j of the block in tiles
//	            micro-kernel: C[i0:, j:] = or += panel of A · panel of B
//
// Only the first block of k overwrites C; the others add to it. A tile that
// sticks out of C is computed in a scratch tile, and the part inside is carried
// over. With the distance between two neighbours in a row and in a column as two
// numbers, one packing function serves A and B, transposed or not.
//
// Use the micro-kernel kernel.Best(), or Tile of this package where it is
// vectorised. Large products are divided among goroutines, each with rows or
// columns of C of its own; the result must be the same bit for bit whatever
// GOMAXPROCS is. Keep the memory for the panels in a sync.Pool.
//
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, section 4.
func MatMul(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	panic(tensor.TODO("step11: MatMul"))
}
