package kernel

import "fmt"

// Matrix is a matrix in memory: element (i, j) is Data[i·Down + j·Right]. One of Down and Right is 1: the rows lie in one
// piece, or the columns do, which is how the transpose of a row-major matrix looks.
type Matrix struct {
	Rows, Cols  int
	Data        []float32
	Down, Right int
}

// Gemm computes a matrix product:
//
//	C  = A·B        accumulate false: C is overwritten, whatever it held
//	C += A·B        accumulate true
//
// A is m×k, B is k×n and C is m×n. The rows of C lie in one piece (C.Right is 1); A and B may be transposed. m, n or k may
// be 0; k = 0 clears C unless accumulate is set. C must not overlap A or B.
//
// Products large enough to pay for it are divided among GOMAXPROCS workers, unless another product already holds them.
// The result is the same bit for bit however many there are. A caller that already runs one goroutine per core should
// use GemmSerial.
//
// It panics if the sizes do not agree or are negative, the rows or columns of a matrix overlap, or a slice is too short.
func Gemm(c, a, b Matrix, accumulate bool) {
	watched(c, a)
	gemm(best(), true, c, a, b, accumulate)
}

// GemmSerial is Gemm on the calling goroutine alone.
func GemmSerial(c, a, b Matrix, accumulate bool) {
	watched(c, a)
	gemm(best(), false, c, a, b, accumulate)
}

// gemm checks the arguments, deals with empty products and chooses who computes the rest.
func gemm(s isa, parallel bool, c, a, b Matrix, accumulate bool) {
	checkProduct(c, a, b)
	m, n, k := c.Rows, c.Cols, a.Cols
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		if !accumulate {
			for i := range m {
				clear(c.Data[i*c.Down : i*c.Down+n])
			}
		}
		return
	}
	p := product{isa: s, m: m, n: n, k: k, a: a.Data, rowA: a.Down, stepA: a.Right, b: b.Data, ldb: b.Down,
		c: c.Data, ldc: c.Down, accumulate: accumulate}
	if b.Right != 1 {
		p.transB, p.ldb = true, b.Right
	}
	p.compute(parallel)
}

// compute computes the product, with others if there is enough to do.
func (p *product) compute(parallel bool) {
	if parallel && p.runShared() {
		return
	}
	w := workspaces.take()
	p.run(w, 0, p.m, 0, p.n)
	workspaces.put(w)
}

// checkProduct panics unless C can be A·B, and each of them fits into its slice.
func checkProduct(c, a, b Matrix) {
	if a.Rows != c.Rows || b.Cols != c.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("kernel: Gemm: A %d×%d times B %d×%d is not C %d×%d",
			a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	a.check("A")
	b.check("B")
	c.check("C")
	if c.Right != 1 && c.Rows > 0 && c.Cols > 0 {
		panic(fmt.Sprintf("kernel: Gemm: C must lie in rows, Right must be 1, got %d", c.Right))
	}
}

// oneRow returns x as a matrix of one row.
func oneRow(x []float32) Matrix {
	return Matrix{Rows: 1, Cols: len(x), Data: x, Down: len(x), Right: 1}
}

// check panics unless the matrix fits into its slice and one of its distances is 1.
func (m Matrix) check(name string) {
	switch {
	case m.Right == 1 || m.Rows <= 0 || m.Cols <= 0: // an empty matrix has no elements to be apart
		checkStored("Gemm", name, m.Data, m.Rows, m.Cols, m.Down)
	case m.Down == 1:
		checkStored("Gemm", name, m.Data, m.Cols, m.Rows, m.Right)
	default:
		panic(fmt.Sprintf("kernel: Gemm: %s: one of Down and Right must be 1, got %d and %d", name, m.Down, m.Right))
	}
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
