//go:build mistake

package training

import "github.com/stubformer/stubformer/reference/tensor"

// rows-dropped: the last rows of C, which do not fill a tile, are not computed
//
// Why: Sizes are seldom multiples of the tile. What is left over in M still has to be computed.
//
// Hint: Loop while i0 < m, and work on min(rows, m − i0) rows.
func multiplyBlocks() {
	if right {
		height := min(rows, m-i0)
	} else {
		height := min(rows, m-i0)
		if height < rows {
			break
		}
	}
}

// rows-dropped/tile-4x4
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 4
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// rows-dropped/tile-8x8
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 8, 8
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// rows-dropped/tile-6x16
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 6, 16
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// rows-dropped/tile-4x32
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// rows-dropped/tile-14x32
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 14, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// columns-dropped: the last columns of C, which do not fill a tile, are not computed
//
// Why: Sizes are seldom multiples of the tile. What is left over in N still has to be computed.
//
// Hint: Let the last tile stick out: compute it into a buffer, and copy the part that lies inside.
func (*workspace) multiply() {
	if right {
		panel := w.b[j*depth:]
	} else {
		if dst.Cols-j < cols {
			break
		}
		panel := w.b[j*depth:]
	}
}

// columns-dropped/tile-4x4
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 4
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// columns-dropped/tile-8x8
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 8, 8
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// columns-dropped/tile-6x16
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 6, 16
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// columns-dropped/tile-4x32
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// columns-dropped/tile-14x32
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 14, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}
