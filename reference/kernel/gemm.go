package kernel

import "fmt"

// Gemm computes a matrix product:
//
//	C  = op(A)·op(B)        accumulate false: C is overwritten, whatever it held
//	C += op(A)·op(B)        accumulate true
//
// op(A) is m×k, op(B) is k×n and C is m×n. op(X) is X, or its transpose when the flag is set, so A is stored m×k (or
// k×m) and B k×n (or n×k). Matrices are row-major; lda, ldb and ldc are the row strides of the matrices as stored, in
// elements. m, n or k may be 0; k = 0 clears C unless accumulate is set. C must not overlap A or B.
//
// Products large enough to pay for it are divided among GOMAXPROCS workers, unless another product already holds them.
// The result is the same bit for bit however many there are. A caller that already runs one goroutine per core should
// use GemmSerial.
//
// It panics if a size is negative, the stride of more than one row is smaller than a row, or a slice is too short.
func Gemm(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int,
	c []float32, ldc int, accumulate bool) {
	gemm(best(), true, transA, transB, m, n, k, a, lda, b, ldb, c, ldc, accumulate)
}

// GemmSerial is Gemm on the calling goroutine alone.
func GemmSerial(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int,
	c []float32, ldc int, accumulate bool) {
	gemm(best(), false, transA, transB, m, n, k, a, lda, b, ldb, c, ldc, accumulate)
}

// gemm checks the arguments, deals with empty products and chooses who computes the rest.
func gemm(s isa, parallel, transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int,
	c []float32, ldc int, accumulate bool) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("kernel: Gemm: negative size: m = %d, n = %d, k = %d", m, n, k))
	}
	checkMatrix("A", a, m, k, transA, lda)
	checkMatrix("B", b, k, n, transB, ldb)
	checkMatrix("C", c, m, n, false, ldc)
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		if !accumulate {
			for i := range m {
				clear(c[i*ldc : i*ldc+n])
			}
		}
		return
	}
	p := product{isa: s, m: m, n: n, k: k, a: a, rowA: lda, stepA: 1, b: b, ldb: ldb, transB: transB,
		c: c, ldc: ldc, accumulate: accumulate}
	if transA {
		p.rowA, p.stepA = 1, lda
	}
	if parallel && p.runShared() {
		return
	}
	w := workspaces.take()
	p.run(w, 0, m, 0, n)
	workspaces.put(w)
}

// checkMatrix panics unless a matrix whose op is rows×cols fits into x with row stride ld.
func checkMatrix(name string, x []float32, rows, cols int, trans bool, ld int) {
	if trans {
		rows, cols = cols, rows
	}
	checkStored("Gemm", name, x, rows, cols, ld)
}

// checkStored panics unless a matrix that is stored rows×cols fits into x with row stride ld, which does not matter if
// there is one row.
func checkStored(op, name string, x []float32, rows, cols, ld int) {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("kernel: %s: negative size: %d×%d", op, rows, cols))
	}
	if ld < cols && rows > 1 {
		panic(fmt.Sprintf("kernel: %s: %s is stored %d×%d, its row stride must be at least %d, got %d",
			op, name, rows, cols, cols, ld))
	}
	if rows == 0 || cols == 0 {
		return
	}
	if len(x) < cols || rows > 1 && (len(x)-cols)/ld < rows-1 {
		panic(fmt.Sprintf("kernel: %s: %s is stored %d×%d with row stride %d, which does not fit into %d values",
			op, name, rows, cols, ld, len(x)))
	}
}
