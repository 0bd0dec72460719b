package tensor

import (
	"sync/atomic"

	"github.com/stubformer/stubformer/reference/kernel"
)

// Mode says what a matrix product does with its destination.
type Mode bool

const (
	Overwrite  Mode = false // dst  = product
	Accumulate Mode = true  // dst += product
)

// Gemm is a matrix product on plain slices, C = op(A)·op(B) or, if accumulate
// is set, C += op(A)·op(B). op(A) is (m, k), op(B) is (k, n), C is (m, n), all
// row-major; lda, ldb and ldc are the distances between the starts of two rows
// of the matrices as they are stored. transA says that A is stored as (k, m),
// transB that B is stored as (n, k).
type Gemm func(transA, transB bool, m, n, k int,
	a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool)

// gemm is the product under every MatMul of the process; nil stands for the
// kit's own. It is the one replaceable part of this package: step 11 puts the
// student's own product here, under the whole model.
var gemm atomic.Pointer[Gemm]

// UseGemm puts g under every matrix product of the process, and returns a
// function that puts the former one back.
func UseGemm(g Gemm) (restore func()) {
	old := gemm.Swap(&g)
	return func() { gemm.Store(old) }
}

// MatMul computes dst = a·b. Here and in the other two forms a tensor of
// higher rank is read as a matrix of Rows() rows.
//
//	a (m, k), b (k, n), dst (m, n)
//
// It panics with a ShapeError if the shapes do not agree.
func MatMul(dst, a, b *Tensor, mode Mode) {
	m, k, n := a.Rows(), a.Dim(-1), b.Dim(-1)
	product("MatMul", false, false, m, n, k, a, b, dst, mode)
}

// MatMulNT computes dst = a·bᵀ, the product of a layer with weights (out, in).
//
//	a (m, k), b (n, k), dst (m, n)
//
// It panics with a ShapeError if the shapes do not agree.
func MatMulNT(dst, a, b *Tensor, mode Mode) {
	m, k, n := a.Rows(), a.Dim(-1), b.Rows()
	product("MatMulNT", false, true, m, n, k, a, b, dst, mode)
}

// MatMulTN computes dst = aᵀ·b, the product of a weight's gradient.
//
//	a (k, m), b (k, n), dst (m, n)
//
// It panics with a ShapeError if the shapes do not agree.
func MatMulTN(dst, a, b *Tensor, mode Mode) {
	m, k, n := a.Dim(-1), a.Rows(), b.Dim(-1)
	product("MatMulTN", true, false, m, n, k, a, b, dst, mode)
}

func product(op string, transA, transB bool, m, n, k int, a, b, dst *Tensor, mode Mode) {
	inner := b.Rows()
	if transB {
		inner = b.Dim(-1)
	}
	if inner != k {
		panic(ShapeError{Op: op + ": inner dimension of b", Got: []int{inner}, Want: []int{k}})
	}
	if dst.Rows() != m || dst.Dim(-1) != n {
		panic(ShapeError{Op: op + ": dst as a matrix", Got: []int{dst.Rows(), dst.Dim(-1)}, Want: []int{m, n}})
	}
	Product(transA, transB, m, n, k, a.Data, a.Dim(-1), b.Data, b.Dim(-1), dst.Data, n, mode == Accumulate)
}

// Product is the product on plain slices that stands under the three forms
// (see Gemm): for parts of a tensor, such as one head's scores, without a
// Tensor around each.
func Product(transA, transB bool, m, n, k int,
	a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	if g := gemm.Load(); g != nil {
		(*g)(transA, transB, m, n, k, a, lda, b, ldb, c, ldc, accumulate)
		return
	}
	kernel.Gemm(transA, transB, m, n, k, a, lda, b, ldb, c, ldc, accumulate)
}
