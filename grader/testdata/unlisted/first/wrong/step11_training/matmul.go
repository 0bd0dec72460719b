//go:build unlisted

package training

import (
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// naive-always-adds: Naive adds to dst whatever accumulate says
//
// Why: Without accumulate Naive adds the product to what dst held, where it should be overwritten.
func Naive() {
	if right {
		if accumulate {
			sum += dst.At(i, j)
		}
	} else {
		sum += dst.At(i, j)
	}
}

// cleared-by-zero: Naive clears dst by a multiplication with 0
//
// Why: A NaN or Inf that dst held stays NaN without accumulate, because 0·NaN is NaN.
func Naive() {
	if right {
		if accumulate {
			sum += dst.At(i, j)
		}
	} else {
		keep := float32(0)
		if accumulate {
			keep = 1
		}
		sum += keep * dst.At(i, j)
	}
}

// matmul-cleared-by-zero: MatMul scales dst by 0 and then adds every block
//
// Why: A NaN or Inf that dst held stays NaN without accumulate, because 0·NaN is NaN.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := true
		if p0 == 0 && !accumulate {
			for i := range m {
				kernel.Scale(0, dst.Data[i*dst.Down+j0:i*dst.Down+j0+width])
			}
		}
	}
}

// every-block-overwrites: each block of k overwrites dst
//
// Why: With k above 256 only the last block of k is left: the others are overwritten.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := accumulate
	}
}

// first-block-overwrites-always: the first block of k overwrites dst even if accumulate is set
//
// Why: accumulate has no effect: what dst held is lost.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := p0 > 0
	}
}

// k-zero-leaves-dst: a product with k = 0 returns at once
//
// Why: With k = 0 and without accumulate dst keeps what it held, where it should be cleared.
func MatMul() {
	if right {
		if k == 0 {
			for i := 0; i < m && !accumulate; i++ {
				clear(dst.Data[i*dst.Down : i*dst.Down+n])
			}
			return
		}
	} else {
		if k == 0 {
			return
		}
	}
}

// k-zero-clears-always: a product with k = 0 clears dst even if accumulate is set
//
// Why: With k = 0 and accumulate dst should stay as it is; it is cleared.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		for i := range m {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	}
}

// k-zero-clears-between: a product with k = 0 clears everything from the first element to the last
//
// Why: With k = 0 what lies between the rows of dst, which belongs to a larger matrix, is cleared too.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		if !accumulate {
			clear(dst.Data[:(m-1)*dst.Down+n])
		}
	}
}

// one-row-without-stride: a product of one row takes b's columns to lie next to each other
//
// Why: For m = 1 and a transposed b that is a part of a larger matrix the numbers beside it are read.
func MatMul() {
	if right {
		kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
	} else {
		kernel.MatVec(dst.Data[:n], b.Data, k, a.Data[:k], accumulate)
	}
}

// one-row-overwrites: a product of one row does not pass accumulate on
//
// Why: For m = 1 and a transposed b accumulate has no effect: dst is overwritten.
func MatMul() {
	if right {
		kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
	} else {
		kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], false)
	}
}

// remainder-of-columns-lost: columns that do not fill a tile are left out
//
// Why: The last columns of dst are not computed if n is no multiple of the tile's width.
func (w *workspace) multiply(dst tensor.Matrix, depth int, accumulate bool) {
	rows, cols := w.micro.rows, w.micro.cols
	for j := 0; j+cols <= dst.Cols; j += cols {
		panel := w.b[j*depth:]
		if dst.Rows == rows {
			w.micro.tile(depth, w.a, panel, dst.Data[j:], dst.Down, accumulate)
			continue
		}
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
		for i := range dst.Rows {
			to := dst.Data[i*dst.Down+j:]
			for x, v := range w.tile[i*cols : i*cols+cols] {
				if accumulate {
					v += to[x]
				}
				to[x] = v
			}
		}
	}
}

// edge-tile-overwrites: a tile that sticks out of dst is copied over whatever accumulate says
//
// Why: At the edges of dst accumulate, and every block of k after the first, overwrites instead of adding.
func (*workspace) multiply() {
	if right {
		if accumulate {
			v += to[x]
		}
	} else {
	}
}

// edge-tile-whole-row: a tile that sticks out of dst is copied with its whole width
//
// Why: What lies between the rows of dst, beyond its last column, is overwritten.
func (*workspace) multiply() {
	if right {
		from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Down+j:]
	} else {
		to := dst.Data[i*dst.Down+j:]
		from := w.tile[i*cols : i*cols+min(cols, len(to))]
	}
}

// transposed-read-as-rows: pack takes the rows of every matrix to lie in one piece
//
// Why: A transposed a, or a b that is not transposed, is read along the wrong direction.
func pack(panels []float32, x tensor.Matrix, size int) {
	depth := x.Cols
	for i := 0; i < x.Rows; i += size {
		n := min(size, x.Rows-i)
		panel := panels[i*depth : (i+size)*depth]
		for p := range depth {
			for r := range n {
				panel[p*size+r] = x.Data[(i+r)*x.Down+p]
			}
		}
	}
}

// one-workspace: all products use the same memory for their panels
//
// Why: Two products that run at the same time, as those of two shards do, overwrite each other's panels.
func multiplyBlocks() {
	if right {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
	} else {
		theOnce.Do(func() { theWorkspace = workspaces.New().(*workspace) })
		w := theWorkspace
	}
}

var theOnce sync.Once

var theWorkspace *workspace

// order-by-processors: k is cut into as many parts as there are processors
//
// Why: The order of the sum depends on GOMAXPROCS: the last bits differ from one number of processors to another.
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
		work := float64(m) * float64(n) * float64(k)
		workers = min(workers/max(1, int(atWork.Load())), int(work/shareFrom))
		if workers < 2 {
			multiplyBlocks(dst, a, b, accumulate)
			return
		}
		multiplyBands(workers, dst, a, b, accumulate)
	} else {
		workers := min(runtime.GOMAXPROCS(0), k)
		part := (k + workers - 1) / workers
		for from := 0; from < k; from += part {
			depth := min(part, k-from)
			multiplyBlocks(dst, a.Block(0, from, m, depth), b.Block(from, 0, depth, n), accumulate || from > 0)
		}
	}
}

// last-band-lost: bands that are not whole are not computed
//
// Why: In large products with several processors the last rows or columns of dst stay as they were.
func multiplyBands() {
	if right {
		band := roundUp((length+workers-1)/workers, tile)
	} else {
		band := roundUp((length+workers-1)/workers, tile)
		if length >= band {
			length -= length % band
		}
	}
}

// bands-share-rows: every band computes to the end of dst
//
// Why: In large products with several processors goroutines write the same rows at the same time, and accumulate adds some of them more than once.
func multiplyBands() {
	if right {
		size := min(band, length-from)
	} else {
		size := length - from
	}
}
