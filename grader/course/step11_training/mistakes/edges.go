//go:build mistake

package training

// rows-dropped: the last rows of C, which do not fill a tile, are not computed
//
// Why: Sizes are seldom multiples of the tile. What is left over in M still has to be computed.
//
// Hint: Loop while i0 < m, and work on min(rows, m − i0) rows.
func (product) runSerial() {
	if right {
		for i0 := 0; i0 < p.m; i0 += rows {
			height := min(rows, p.m-i0)
			pack(w.a, p.a[i0*p.rowA+p0*p.stepA:], height, p.rowA, depth, p.stepA, rows)
			w.multiply(height, width, depth, p.c[i0*p.ldc+j0:], p.ldc, accumulate)
		}
	} else {
		for i0 := 0; i0+rows <= p.m; i0 += rows {
			height := min(rows, p.m-i0)
			pack(w.a, p.a[i0*p.rowA+p0*p.stepA:], height, p.rowA, depth, p.stepA, rows)
			w.multiply(height, width, depth, p.c[i0*p.ldc+j0:], p.ldc, accumulate)
		}
	}
}

// rows-dropped/tile-4x4
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 4, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// rows-dropped/tile-8x8
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{8, 8, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// rows-dropped/tile-6x16
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{6, 16, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// rows-dropped/tile-4x32
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// rows-dropped/tile-14x32
//
// With: rows-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{14, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// columns-dropped: the last columns of C, which do not fill a tile, are not computed
//
// Why: Sizes are seldom multiples of the tile. What is left over in N still has to be computed.
//
// Hint: Let the last tile stick out: compute it into a buffer, and copy the part that lies inside.
func (*workspace) multiply() {
	if right {
		for j := 0; j < width; j += cols {
			panel := w.b[j*depth:]
			if height == rows && width-j >= cols {
				w.micro.tile(depth, w.a, panel, c[j:], ldc, accumulate)
				continue
			}
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
	} else {
		for j := 0; j+cols <= width; j += cols {
			panel := w.b[j*depth:]
			if height == rows && width-j >= cols {
				w.micro.tile(depth, w.a, panel, c[j:], ldc, accumulate)
				continue
			}
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
}

// columns-dropped/tile-4x4
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 4, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// columns-dropped/tile-8x8
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{8, 8, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// columns-dropped/tile-6x16
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{6, 16, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// columns-dropped/tile-4x32
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// columns-dropped/tile-14x32
//
// With: columns-dropped
var workspaces = sync.Pool{New: func() any {
	m := micro{14, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// depth-dropped: the last steps of k, when k is not a multiple of 4, are left out of the sum
//
// Why: A loop that takes four steps at a time needs a second one for the rest.
//
// Hint: Sum over all p < k.
func (product) runSerial() {
	if right {
		depth := min(blockK, p.k-p0)
	} else {
		depth := min(blockK, p.k-p0) &^ 3
	}
}

// blocks-of-k-overwrite: every block of k overwrites C, so that only the last one is left
//
// Why: The sum over k is cut into blocks. A product with a small k has one block only and does not
// show the mistake.
//
// Hint: The first block of k overwrites C (unless accumulate is set); all others add.
func (product) runSerial() {
	if right {
		accumulate := p.accumulate || p0 > 0
	} else {
		accumulate := p.accumulate
	}
}

// c-not-cleared: the product is added to C even if accumulate is false
//
// Why: C is overwritten whatever it held: it is often memory that was used before. Fresh memory is
// 0 and hides the mistake.
//
// Hint: accumulate || p0 > 0: the first block of k overwrites unless accumulate is set.
func (product) runSerial() {
	if right {
		accumulate := p.accumulate || p0 > 0
	} else {
		accumulate := true
	}
}

// always-overwrites: C is overwritten even if accumulate is true
//
// Why: Backward adds the gradient of a weight to what is there. Overwritten, it is that of the
// last call only.
//
// Hint: accumulate || p0 > 0.
func (product) runSerial() {
	if right {
		accumulate := p.accumulate || p0 > 0
	} else {
		accumulate := p0 > 0
	}
}

// empty-k-leaves-c: nothing is done if k is 0: C keeps what it held
//
// Why: A sum of nothing is 0, and C is to hold that sum.
//
// Hint: For k = 0 clear C, unless accumulate is set.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(c[i*ldc : i*ldc+n])
		}
	} else {
	}
}

// empty-k-clears-c: C is cleared if k is 0 even when accumulate is true
//
// Why: To add a sum of nothing is to change nothing.
//
// Hint: For k = 0 clear C only if accumulate is false.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(c[i*ldc : i*ldc+n])
		}
	} else {
		for i := 0; i < m; i++ {
			clear(c[i*ldc : i*ldc+n])
		}
	}
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
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 4, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-not-accumulated/tile-8x8
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	m := micro{8, 8, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-not-accumulated/tile-6x16
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	m := micro{6, 16, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-not-accumulated/tile-4x32
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-not-accumulated/tile-14x32
//
// With: fringe-not-accumulated
var workspaces = sync.Pool{New: func() any {
	m := micro{14, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-buffer-not-cleared: a tile that sticks out of C still contains the tile before it
//
// Why: The buffer for tiles at the edge is used again and again.
//
// Hint: Let the micro-kernel overwrite the buffer: accumulate = false.
func (product) runSerial() {
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
	m := micro{4, 4, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-buffer-not-cleared/tile-8x8
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	m := micro{8, 8, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-buffer-not-cleared/tile-6x16
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	m := micro{6, 16, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-buffer-not-cleared/tile-4x32
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	m := micro{4, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// fringe-buffer-not-cleared/tile-14x32
//
// With: fringe-buffer-not-cleared
var workspaces = sync.Pool{New: func() any {
	m := micro{14, 32, nil}
	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {
		for at := range m.rows * m.cols {
			i, j, sum := at/m.cols, at%m.cols, float32(0)
			for p := range k {
				sum += a[p*m.rows+i] * b[p*m.cols+j]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}

// band-too-short: the rows or columns are divided by the number of processors without the rest
//
// Why: On one processor there is no rest. On four the last rows of C keep what they held.
//
// Hint: Round the band up, and let the last one be shorter.
func (product) runParallel() {
	if right {
		band := roundUp((length+workers-1)/workers, tile)
	} else {
		band := length / workers / tile * tile
		length = band * workers
	}
}

// blocks-by-processors: the order in which k is summed depends on the number of processors
//
// Why: Another order of summing gives another rounding, and after some updates of a model another
// model. Nobody could repeat a run on another machine.
//
// Hint: Divide C among the goroutines and not k: each element is summed by one goroutine, in an
// order that depends on k alone.
func (product) runSerial() {
	if right {
		for p0 := 0; p0 < p.k; p0 += blockK {
			depth := min(blockK, p.k-p0)
			accumulate := p.accumulate || p0 > 0

			pack(w.b, p.b[p0*p.stepB+j0*p.colB:], width, p.colB, depth, p.stepB, cols)
			for i0 := 0; i0 < p.m; i0 += rows {
				height := min(rows, p.m-i0)
				pack(w.a, p.a[i0*p.rowA+p0*p.stepA:], height, p.rowA, depth, p.stepA, rows)
				w.multiply(height, width, depth, p.c[i0*p.ldc+j0:], p.ldc, accumulate)
			}
		}
	} else {
		for p0 := 0; p0 < p.k; p0 += max(1, blockK/2/runtime.GOMAXPROCS(0)) {
			blockK := max(1, blockK/2/runtime.GOMAXPROCS(0))
			depth := min(blockK, p.k-p0)
			accumulate := p.accumulate || p0 > 0

			pack(w.b, p.b[p0*p.stepB+j0*p.colB:], width, p.colB, depth, p.stepB, cols)
			for i0 := 0; i0 < p.m; i0 += rows {
				height := min(rows, p.m-i0)
				pack(w.a, p.a[i0*p.rowA+p0*p.stepA:], height, p.rowA, depth, p.stepA, rows)
				w.multiply(height, width, depth, p.c[i0*p.ldc+j0:], p.ldc, accumulate)
			}
		}
	}
}
