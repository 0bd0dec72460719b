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
