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
func bestMicro() micro {
	const rows, cols = 4, 4
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// rows-dropped/tile-8x8
//
// With: rows-dropped
func bestMicro() micro {
	const rows, cols = 8, 8
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// rows-dropped/tile-6x16
//
// With: rows-dropped
func bestMicro() micro {
	const rows, cols = 6, 16
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// rows-dropped/tile-4x32
//
// With: rows-dropped
func bestMicro() micro {
	const rows, cols = 4, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// rows-dropped/tile-14x32
//
// With: rows-dropped
func bestMicro() micro {
	const rows, cols = 14, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

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
func bestMicro() micro {
	const rows, cols = 4, 4
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// columns-dropped/tile-8x8
//
// With: columns-dropped
func bestMicro() micro {
	const rows, cols = 8, 8
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// columns-dropped/tile-6x16
//
// With: columns-dropped
func bestMicro() micro {
	const rows, cols = 6, 16
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// columns-dropped/tile-4x32
//
// With: columns-dropped
func bestMicro() micro {
	const rows, cols = 4, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// columns-dropped/tile-14x32
//
// With: columns-dropped
func bestMicro() micro {
	const rows, cols = 14, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-not-accumulated: the tiles that stick out of C overwrite it, while whole tiles are added
//
// Why: A tile at the edge goes through a buffer. The buffer is new, but the C that it is copied to
// is not.
//
// Hint: When a tile is carried over from the buffer, add it if accumulate is set.
func (*workspace) multiply() {
	if right {
		if accumulate {
			v += to[x]
		}
	} else {
	}
}

// fringe-not-accumulated/tile-4x4
//
// With: fringe-not-accumulated
func bestMicro() micro {
	const rows, cols = 4, 4
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-not-accumulated/tile-8x8
//
// With: fringe-not-accumulated
func bestMicro() micro {
	const rows, cols = 8, 8
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-not-accumulated/tile-6x16
//
// With: fringe-not-accumulated
func bestMicro() micro {
	const rows, cols = 6, 16
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-not-accumulated/tile-4x32
//
// With: fringe-not-accumulated
func bestMicro() micro {
	const rows, cols = 4, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-not-accumulated/tile-14x32
//
// With: fringe-not-accumulated
func bestMicro() micro {
	const rows, cols = 14, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-buffer-not-cleared: a tile that sticks out of C still contains the tile before it
//
// Why: The buffer for tiles at the edge is used again and again.
//
// Hint: Let the micro-kernel overwrite the buffer: accumulate = false.
func multiplyBlocks() {
	if right {
		defer workspaces.Put(w)
	} else {
		defer workspaces.Put(w)
		clear(w.a)
		clear(w.b)
		clear(w.tile)
	}
}

func (*workspace) multiply() {
	if right {
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
	} else {
		w.micro.tile(depth, w.a, panel, w.tile, cols, true)
	}
}

// fringe-buffer-not-cleared/tile-4x4
//
// With: fringe-buffer-not-cleared
func bestMicro() micro {
	const rows, cols = 4, 4
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-buffer-not-cleared/tile-8x8
//
// With: fringe-buffer-not-cleared
func bestMicro() micro {
	const rows, cols = 8, 8
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-buffer-not-cleared/tile-6x16
//
// With: fringe-buffer-not-cleared
func bestMicro() micro {
	const rows, cols = 6, 16
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-buffer-not-cleared/tile-4x32
//
// With: fringe-buffer-not-cleared
func bestMicro() micro {
	const rows, cols = 4, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}

// fringe-buffer-not-cleared/tile-14x32
//
// With: fringe-buffer-not-cleared
func bestMicro() micro {
	const rows, cols = 14, 32
	return micro{rows, cols, func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}}
}
