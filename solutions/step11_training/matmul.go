package training

import (
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
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
	// shareFrom is the m·n·k that a goroutine should have to do at the least: waking
	// one takes about as long as two million multiplications.
	shareFrom = 1 << 21
)

// Naive computes the same product as MatMul straight from its definition: the
// reference for MatMul, and what there was before it. Every element of b is
// fetched m times and every element of a n times, from wherever they are.
func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	for i := range dst.Rows {
		for j := range dst.Cols {
			sum := float32(0)
			for p := range a.Cols {
				sum += a.At(i, p) * b.At(p, j)
			}
			if accumulate {
				sum += dst.At(i, j)
			}
			dst.Set(sum, i, j)
		}
	}
}

// MatMul computes a matrix product:
//
//	dst  = a·b   if accumulate is false: dst is overwritten, whatever it held
//	dst += a·b   if it is true
//
// a is (m, k), b is (k, n), dst is (m, n). The rows of dst lie in one piece
// (dst.Right is 1); a and b may be transposed, and all three parts of larger
// matrices. Sizes may be 0; k = 0 is a sum of nothing, so dst is cleared unless
// accumulate is set. dst must not overlap a or b. It panics if a slice is too
// short, before it starts a goroutine.
//
// The result is the same bit for bit whatever GOMAXPROCS is: each element is
// summed by one goroutine in an order that depends on k alone.
//
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, section 4.
func MatMul(dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	for _, whole := range []tensor.Matrix{dst, a, b} {
		whole.Block(0, 0, whole.Rows, whole.Cols) // a slice that is too short panics here, and not in a goroutine
	}
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
		return
	}
	// one token: every weight is used once, so packing it would be all the work
	if m == 1 && a.Right == 1 && b.Down == 1 {
		kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
		return
	}
	workers := runtime.GOMAXPROCS(0)
	work := float64(m) * float64(n) * float64(k)
	workers = min(workers/max(1, int(atWork.Load())), int(work/shareFrom)) // a processor and enough to do for each
	if workers < 2 {
		multiplyBlocks(dst, a, b, accumulate)
		return
	}
	multiplyBands(workers, dst, a, b, accumulate)
}

// multiplyBands gives every goroutine a band of dst of its own, cut at the
// boundaries of tiles: rows of it, or columns if dst is wider than it is high.
func multiplyBands(workers int, dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	micro := bestMicro()
	length, tile := m, micro.rows
	if n > m {
		length, tile = n, micro.cols
	}
	band := roundUp((length+workers-1)/workers, tile)

	var all sync.WaitGroup
	for from := 0; from < length; from += band {
		size := min(band, length-from)
		all.Go(func() {
			if n > m {
				multiplyBlocks(dst.Block(0, from, m, size), a, b.Block(0, from, k, size), accumulate)
			} else {
				multiplyBlocks(dst.Block(from, 0, size, n), a.Block(from, 0, size, k), b, accumulate)
			}
		})
	}
	all.Wait()
}

// multiplyBlocks computes the product block by block.
//
// Each level of the loops keeps something in one level of the memory, so that
// it is fetched once and used many times:
//
//	a block of b, blockK × blockN      second-level cache, used for all m rows
//	a panel of a, tile rows × blockK   first-level cache, used for blockN columns
//	a tile of dst                      registers, used blockK times
func multiplyBlocks(dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	rows, cols := w.micro.rows, w.micro.cols

	for j0 := 0; j0 < n; j0 += blockN {
		width := min(blockN, n-j0)
		for p0 := 0; p0 < k; p0 += blockK {
			depth := min(blockK, k-p0)
			add := accumulate || p0 > 0 // the first block of k overwrites, the others add to it

			pack(w.b, b.Block(p0, j0, depth, width).T(), cols) // a panel of b is a few of its columns, the rows of bᵀ
			for i0 := 0; i0 < m; i0 += rows {
				height := min(rows, m-i0)
				pack(w.a, a.Block(i0, p0, height, depth), rows)
				w.multiply(dst.Block(i0, j0, height, width), depth, add)
			}
		}
	}
}

// multiply computes dst, a strip of the product, from the packed panel of a and
// the packed block of b, both of the given depth, tile by tile.
func (w *workspace) multiply(dst tensor.Matrix, depth int, accumulate bool) {
	rows, cols := w.micro.rows, w.micro.cols
	for j := 0; j < dst.Cols; j += cols {
		panel := w.b[j*depth:] // every panel before this one holds depth rows of cols numbers
		if dst.Rows == rows && dst.Cols-j >= cols {
			w.micro.tile(depth, w.a, panel, dst.Data[j:], dst.Down, accumulate)
			continue
		}
		// The tile sticks out of dst. It is computed whole, and the part inside is
		// carried over.
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
		for i := range dst.Rows {
			from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Down+j:]
			for x, v := range from {
				if accumulate {
					v += to[x]
				}
				to[x] = v
			}
		}
	}
}

// pack copies the rows of x into panels of size rows each, in the order in which
// the micro-kernel reads them: for every column of x the numbers of those rows,
// side by side. In other words, a panel is the transpose of its rows.
//
// If the last panel has room for more rows than are left, what it held stays there. Only
// sums outside of dst are made of it, and those are not carried over.
func pack(panels []float32, x tensor.Matrix, size int) {
	depth := x.Cols
	for i := 0; i < x.Rows; i += size {
		n := min(size, x.Rows-i)
		panel, first := panels[i*depth:(i+size)*depth], x.Data[i*x.Down:]
		if x.Down == 1 { // the numbers of a step lie side by side already
			kernel.Copy(panel, size, first, x.Right, depth, n)
		} else { // every row lies in one piece
			kernel.Transpose(panel, size, first, x.Down, n, depth)
		}
	}
}

// roundUp returns the smallest multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
