package training

import (
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
)

// Block sizes, from the fastest memory down. Elements are 4 bytes.
const (
	// blockK is how much of the inner dimension is worked on at a time. A panel
	// of A of 14 rows is then 14·256·4 = 14 KiB and stays in the first-level
	// cache (32 KiB and more) while the panels of B stream past it.
	blockK = 256
	// blockN is how many columns. A block of B is then 256·512·4 = 512 KiB and
	// stays in the second-level cache (512 KiB to 2 MiB) while all of A passes.
	blockN = 512
	// shareFrom is the m·n·k from which a product is worth several goroutines:
	// waking one takes about as long as a few million multiplications.
	shareFrom = 1 << 25
)

// Naive computes the same product as MatMul straight from its definition: the
// reference for MatMul, and what there was before it. Every element of op(B) is
// fetched m times and every element of op(A) n times, from wherever they are.
func Naive(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	rowA, stepA := strides(transA, lda)
	stepB, colB := strides(transB, ldb)
	for i := range m {
		for j := range n {
			sum := float32(0)
			for p := range k {
				sum += a[i*rowA+p*stepA] * b[p*stepB+j*colB]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
}

// strides returns how far apart in memory two neighbours in a column and two
// neighbours in a row of op(X) are, when X is stored with ld elements a row.
// With these two numbers a transposed matrix is read like any other.
func strides(trans bool, ld int) (down, right int) {
	if trans {
		return 1, ld
	}
	return ld, 1
}

// MatMul computes a matrix product:
//
//	C  = op(A)·op(B)   if accumulate is false: C is overwritten, whatever it held
//	C += op(A)·op(B)   if it is true
//
// op(A) is (m, k), op(B) is (k, n), C is (m, n), row-major. transA says that A
// is stored as (k, m), transB that B is stored as (n, k); lda, ldb and ldc are
// the distances between the starts of two rows as stored. Sizes may be 0; k = 0
// is a sum of nothing, so C is cleared unless accumulate is set. C must not
// overlap A or B. It panics if a slice is too short.
//
// The result is the same bit for bit whatever GOMAXPROCS is: each element is
// summed by one goroutine in an order that depends on k alone.
//
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, section 4.
func MatMul(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		for i := 0; i < m && !accumulate; i++ {
			clear(c[i*ldc : i*ldc+n])
		}
		return
	}
	if m == 1 && transB && !transA { // one token: every weight is used once, so packing it would be all the work
		kernel.MatVec(c[:n], b, ldb, a[:k], accumulate)
		return
	}
	p := product{m: m, n: n, k: k, a: a, b: b, c: c, ldc: ldc, accumulate: accumulate}
	p.rowA, p.stepA = strides(transA, lda)
	p.stepB, p.colB = strides(transB, ldb)

	workers := runtime.GOMAXPROCS(0)
	if workers == 1 || float64(m)*float64(n)*float64(k) < shareFrom {
		p.runSerial()
		return
	}
	p.runParallel(workers)
}

// product is one matrix product. op(A)'s element (i, p) is a[i·rowA + p·stepA],
// op(B)'s element (p, j) is b[p·stepB + j·colB].
type product struct {
	m, n, k     int
	a           []float32
	rowA, stepA int
	b           []float32
	stepB, colB int
	c           []float32
	ldc         int
	accumulate  bool
}

// runParallel gives every goroutine a band of C of its own, cut at the
// boundaries of tiles: rows of it, or columns if C is wider than it is high.
func (p product) runParallel(workers int) {
	micro := bestMicro()
	length, tile := p.m, micro.rows
	if p.n > p.m {
		length, tile = p.n, micro.cols
	}
	band := roundUp((length+workers-1)/workers, tile)

	var all sync.WaitGroup
	for from := 0; from < length; from += band {
		part, size := p, min(band, length-from)
		if p.n > p.m {
			part.n, part.b, part.c = size, p.b[from*p.colB:], p.c[from:]
		} else {
			part.m, part.a, part.c = size, p.a[from*p.rowA:], p.c[from*p.ldc:]
		}
		all.Go(part.runSerial)
	}
	all.Wait()
}

// runSerial computes the product block by block.
//
// Each level of the loops keeps something in one level of the memory, so that
// it is fetched once and used many times:
//
//	a block of op(B), blockK × blockN     second-level cache, used for all m rows
//	a panel of op(A), tile rows × blockK  first-level cache, used for blockN columns
//	a tile of C                           registers, used blockK times
func (p product) runSerial() {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	rows, cols := w.micro.rows, w.micro.cols

	for j0 := 0; j0 < p.n; j0 += blockN {
		width := min(blockN, p.n-j0)
		for p0 := 0; p0 < p.k; p0 += blockK {
			depth := min(blockK, p.k-p0)
			accumulate := p.accumulate || p0 > 0 // the first block of k overwrites, the others add to it

			// columns of op(B) lie side by side in a panel
			pack(w.b, p.b[p0*p.stepB+j0*p.colB:], width, p.colB, depth, p.stepB, cols)
			for i0 := 0; i0 < p.m; i0 += rows {
				height := min(rows, p.m-i0)
				pack(w.a, p.a[i0*p.rowA+p0*p.stepA:], height, p.rowA, depth, p.stepA, rows)
				w.multiply(height, width, depth, p.c[i0*p.ldc+j0:], p.ldc, accumulate)
			}
		}
	}
}

// workspace is the memory that a product in progress needs.
type workspace struct {
	micro micro
	a     []float32 // a panel of op(A): for each of blockK steps, one column of a tile's rows
	b     []float32 // a block of op(B): panels of a tile's columns, one after the other
	tile  []float32 // a tile that sticks out of C
}

// workspaces keeps workspaces from one product to the next, so that a product
// allocates nothing.
var workspaces = sync.Pool{New: func() any {
	m := bestMicro()
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// multiply computes a strip of C, height × width, from the packed panel of A
// and the packed block of B, tile by tile.
func (w *workspace) multiply(height, width, depth int, c []float32, ldc int, accumulate bool) {
	rows, cols := w.micro.rows, w.micro.cols
	for j := 0; j < width; j += cols {
		panel := w.b[j*depth:] // every panel before this one holds depth rows of cols numbers
		if height == rows && width-j >= cols {
			w.micro.tile(depth, w.a, panel, c[j:], ldc, accumulate)
			continue
		}
		// The tile sticks out of C. It is computed whole, and the part inside is
		// carried over.
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
		for i := range height {
			from, to := w.tile[i*cols:i*cols+min(cols, width-j)], c[i*ldc+j:]
			for x, v := range from {
				if accumulate {
					v += to[x]
				}
				to[x] = v
			}
		}
	}
}

// pack copies count vectors of the given depth into panels of size vectors, in
// the order in which the micro-kernel reads them: for every step of depth the
// size numbers of that step, side by side. src holds number s of vector v at
// v·across + s·along. The last panel may have room for more vectors, and keeps
// there what it held: what comes of that sticks out of C and is not carried over.
//
// The vectors are rows of op(A), or columns of op(B): this one function packs
// both, transposed or not.
func pack(dst, src []float32, count, across, depth, along, size int) {
	for v0 := 0; v0 < count; v0 += size {
		panel := dst[v0*depth : (v0+size)*depth]
		n := min(size, count-v0)
		if across == 1 { // the vectors lie side by side already
			kernel.Copy(panel, size, src[v0:], along, depth, n)
		} else { // along == 1: each lies in one piece
			kernel.Transpose(panel, size, src[v0*across:], across, n, depth)
		}
	}
}

// roundUp returns the smallest multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
