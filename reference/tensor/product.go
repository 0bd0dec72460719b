package tensor

import (
	"sync/atomic"

	"github.com/stubformer/stubformer/reference/kernel"
)

// Mul computes a product of matrices:
//
//	dst = a·b        dst_ij = Σ_p a_ip · b_pj
//
// a is (m, k), b is (k, n) and dst is (m, n). A transposed matrix is written as
// in the formula, a·bᵀ as
//
//	tensor.Mul(dst, a, b.T())
//
// What dst held is overwritten; if k is 0, with zeros. dst must not overlap a or
// b. It panics with a ShapeError if the sizes do not agree.
func Mul(dst, a, b Matrix) { multiply("tensor.Mul", dst, a, b, false) }

// MulAdd adds a product to what dst holds, dst += a·b, and is otherwise Mul: the
// gradient of a weight is added up this way.
func MulAdd(dst, a, b Matrix) { multiply("tensor.MulAdd", dst, a, b, true) }

func multiply(op string, dst, a, b Matrix, accumulate bool) {
	if b.Rows != a.Cols {
		panic(ShapeError{Op: op + ": b, whose rows are the columns of a",
			Got: []int{b.Rows, b.Cols}, Want: []int{a.Cols, b.Cols}})
	}
	if dst.Rows != a.Rows || dst.Cols != b.Cols {
		panic(ShapeError{Op: op + ": dst", Got: []int{dst.Rows, dst.Cols}, Want: []int{a.Rows, b.Cols}})
	}
	if dst.Right != 1 {
		dst, a, b = dst.T(), b.T(), a.T() // (a·b)ᵀ = bᵀ·aᵀ
	}
	if p := product.Load(); p != nil && !fewRows(a, b) {
		(*p)(dst, a, b, accumulate)
		return
	}
	kernel.Gemm(kernel.Matrix(dst), kernel.Matrix(a), kernel.Matrix(b), accumulate)
}

// fewRows reports whether a·b is a single row, or a few tokens times a large matrix of
// weights, as where text is written. It is bound by how fast b can be read, which the
// kit's product does where it lies; one that packs b, however well it multiplies, would
// be busy packing.
func fewRows(a, b Matrix) bool {
	const tokens, weights = 16, 1 << 14
	return a.Rows == 1 || a.Rows <= tokens && b.Down == 1 && b.Rows*b.Cols >= weights
}

// Product is a function that computes dst = a·b, or dst += a·b if accumulate is
// set, for Mul and MulAdd: they have seen to it that the sizes agree and that
// dst's Right is 1. a and b may be transposed, and all three parts of larger
// matrices.
type Product func(dst, a, b Matrix, accumulate bool)

// ProductBF16 is the Product that rounds a and b to bfloat16 and adds up in float32;
// see kernel.GemmBF16.
func ProductBF16(dst, a, b Matrix, accumulate bool) {
	kernel.GemmBF16(kernel.Matrix(dst), kernel.Matrix(a), kernel.Matrix(b), accumulate)
}

// product is what is under Mul and MulAdd; nil stands for the kit's own. It is
// the one replaceable part of this package.
var product atomic.Pointer[Product]

// UseProduct puts p under every product of the process, and returns a function
// that puts the former one back. Step 11 puts the student's own there, under the
// whole model. A nil p is the kit's own, which computes the products of a few rows
// (see fewRows) whatever p is.
func UseProduct(p Product) (restore func()) {
	under := &p
	if p == nil {
		under = nil
	}
	old := product.Swap(under)
	return func() { product.Store(old) }
}
