//go:build unlisted

package training

// cleared-as-one-piece: for k = 0 the first m·n numbers of dst are cleared
//
// Why: dst can be a part of something wider; what lies between its rows is not to be touched.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		if !accumulate {
			clear(dst.Data[:m*n])
		}
	}
}

// nothing-to-sum-nothing-to-do: k = 0 leaves dst as it was
//
// Why: a sum of nothing is 0; dst is cleared unless accumulate is set.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
	}
}

// second-block-overwrites: every block of k overwrites unless accumulate is set
//
// Why: only the first may; with k > 256 the others' sums are lost.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := accumulate
	}
}

// scratch-tile-accumulates: a tile that sticks out is added to what the scratch tile held
//
// Why: with accumulate the edges of dst get the sums of earlier tiles too.
func (*workspace) multiply() {
	if right {
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
	} else {
		w.micro.tile(depth, w.a, panel, w.tile, cols, accumulate)
	}
}

// blocks-by-processors: k is cut into smaller blocks where there are more processors
//
// Why: the order of the sums, and so the result's bits, depend on GOMAXPROCS.
func multiplyBlocks() {
	if right {
		for p0 := 0; p0 < k; p0 += blockK {
			depth := min(blockK, k-p0)
			add := accumulate || p0 > 0
			pack(w.b, b.Block(p0, j0, depth, width).T(), cols)
			for i0 := 0; i0 < m; i0 += rows {
				height := min(rows, m-i0)
				pack(w.a, a.Block(i0, p0, height, depth), rows)
				w.multiply(dst.Block(i0, j0, height, width), depth, add)
			}
		}
	} else {
		share := max(16, blockK/runtime.GOMAXPROCS(0))
		for p0 := 0; p0 < k; p0 += share {
			depth := min(share, k-p0)
			add := accumulate || p0 > 0
			pack(w.b, b.Block(p0, j0, depth, width).T(), cols)
			for i0 := 0; i0 < m; i0 += rows {
				height := min(rows, m-i0)
				pack(w.a, a.Block(i0, p0, height, depth), rows)
				w.multiply(dst.Block(i0, j0, height, width), depth, add)
			}
		}
	}
}

// short-slices-found-later: the three slices are not looked at before the work begins
//
// Why: with a large product the panic comes on another goroutine, where nobody can recover it.
func MatMul() {
	if right {
		for _, whole := range []tensor.Matrix{dst, a, b} {
			whole.Block(0, 0, whole.Rows, whole.Cols)
		}
	} else {
	}
}

// cleared-by-a-factor: dst is multiplied by 0 and then added to
//
// Why: what dst held is overwritten, NaN too, but NaN·0 is NaN.
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		if !accumulate {
			for i := range m {
				row := dst.Data[i*dst.Down : i*dst.Down+n]
				for j := range row {
					row[j] *= 0
				}
			}
			accumulate = true
		}
		workers := runtime.GOMAXPROCS(0)
	}
}

// one-workspace-for-all: all products use the same memory for their panels
//
// Why: several products, and the goroutines of one, run at the same time and overwrite each other's panels.
func multiplyBlocks() {
	if right {
		w := workspaces.Get().(*workspace)
		defer workspaces.Put(w)
	} else {
		w := theWorkspace
	}
}

var theWorkspace = workspaces.New().(*workspace)

// a-row-lies-in-one-piece: a single row of a is read as if its numbers lay side by side
//
// Why: a may be transposed; the row is then a column in memory.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
		if m == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	}
}

// tile-without-steps-returns: Tile does nothing for k = 0
//
// Why: k may be 0; without accumulate the tile is then 0.
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

// naive-reads-what-it-overwrites: Naive adds to dst after multiplying it by 0 or 1
//
// Why: dst is overwritten whatever it held; a NaN in it stays.
func Naive() {
	if right {
		sum := float32(0)
		for p := range a.Cols {
			sum += a.At(i, p) * b.At(p, j)
		}
		if accumulate {
			sum += dst.At(i, j)
		}
	} else {
		keep := float32(0)
		if accumulate {
			keep = 1
		}
		sum := keep * dst.At(i, j)
		for p := range a.Cols {
			sum += a.At(i, p) * b.At(p, j)
		}
	}
}
