//go:build mistake

package training

import "github.com/stubformer/stubformer/reference/tensor"

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
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 4
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-not-accumulated/tile-8x8
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 8, 8
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-not-accumulated/tile-6x16
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 6, 16
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-not-accumulated/tile-4x32
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-not-accumulated/tile-14x32
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 14, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

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
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 4
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-buffer-not-cleared/tile-8x8
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 8, 8
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-buffer-not-cleared/tile-6x16
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 6, 16
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-buffer-not-cleared/tile-4x32
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 4, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}

// fringe-buffer-not-cleared/tile-14x32
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	const rows, cols = 14, 32
	tile := func(k int, a, b, c []float32, ldc int, accumulate bool) {
		Naive(tensor.Matrix{rows, cols, c, ldc, 1},
			tensor.Matrix{rows, k, a, 1, rows}, tensor.Matrix{k, cols, b, cols, 1}, accumulate)
	}
	return &workspace{micro{rows, cols, tile}, make([]float32, rows*blockK),
		make([]float32, roundUp(blockN, cols)*blockK), make([]float32, rows*cols)}
}}
