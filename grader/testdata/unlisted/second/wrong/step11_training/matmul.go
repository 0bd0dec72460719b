//go:build unlisted

package training

import (
	"runtime"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// every-block-overwrites: every block of k overwrites dst
//
// Why: for k above 256 the product is that of the last block alone.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := accumulate
	}
}

// gaps-cleared: k = 0 clears the whole memory of dst
//
// Why: where dst is a part of a wider matrix, what lies between its rows is lost too.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		if !accumulate {
			clear(dst.Data)
		}
	}
}

// blocks-by-processors: size of a block of k depends on the number of processors
//
// Why: the order of the sum is another one for another GOMAXPROCS, so the last bits are too.
func multiplyBlocks(dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	rows, cols := w.micro.rows, w.micro.cols
	procs := runtime.GOMAXPROCS(0)
	step := min(blockK, (k+procs-1)/procs)

	for j0 := 0; j0 < n; j0 += blockN {
		width := min(blockN, n-j0)
		for p0 := 0; p0 < k; p0 += step {
			depth := min(step, k-p0)
			pack(w.b, b.Block(p0, j0, depth, width).T(), cols)
			for i0 := 0; i0 < m; i0 += rows {
				height := min(rows, m-i0)
				pack(w.a, a.Block(i0, p0, height, depth), rows)
				w.multiply(dst.Block(i0, j0, height, width), depth, accumulate || p0 > 0)
			}
		}
	}
}

// one-workspace: all products pack into the same memory
//
// Why: two goroutines that multiply at the same time, or the bands of one large product, overwrite each other's panels.
func multiplyBlocks() {
	if right {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
	} else {
		w := only
	}
}

var only = workspaces.New().(*workspace)

// edge-rows-by-width: rows of a tile that sticks out are taken to be as far apart as they are long
//
// Why: where dst is a part of a wider matrix, the tiles at its edge land in the wrong place.
func (*workspace) multiply() {
	if right {
		from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Down+j:]
	} else {
		from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Cols+j:]
	}
}

// one-row-as-weights: product with one row reads b as if it were always transposed weights
//
// Why: for m = 1 and a b whose rows lie in one piece the result is wrong or the call panics.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
		if m == 1 && a.Right == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, max(k, b.Right), a.Data[:k], accumulate)
			return
		}
	}
}

// tile-of-nothing: Tile returns at once for k = 0
//
// Why: without accumulate c should be cleared; it keeps what it held.
func Tile() {
	if right {
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	} else {
		if k == 0 {
			return
		}
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	}
}
