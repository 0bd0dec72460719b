package kernel

// Sizes of the blocks. blockK rows of a panel of B and as many columns of a strip of A pass through the first-level
// cache; a block of B, blockK×blockN, stays in the second.
const (
	blockK = 384
	blockN = 512
)

// Limits that decide what is packed. They change the speed, never the result.
const (
	packBFromRows  = 56  // a block of B that is used by fewer rows than this is read where it lies
	packAFromCols  = 256 // a strip of A that meets fewer columns than this is read where it lies
	packATFromCols = 65  // the same when A is transposed, where every step in k is another cache line
	packBFromPitch = 128 // and B where it lies if its rows are no further apart than this: its lines lie close together
)

// Sizes of a product that is computed as its transpose.
const (
	turnedRows = 16   // the most rows that C may have
	turnedK    = 4096 // how much of k at a time: A is packed, and the tile turned back, once for each
)

// product is a matrix product whose arguments have been checked and whose m, n and k are positive.
//
//	op(A)[i,p] = a[i·rowA + p·stepA]
//	op(B)[p,j] = b[p·ldb + j], or b[j·ldb + p] if transB
//	C[i,j]     = c[i·ldc + j]
type product struct {
	isa         isa
	m, n, k     int
	a           []float32
	rowA, stepA int
	b           []float32
	ldb         int
	transB      bool
	c           []float32
	ldc         int
	accumulate  bool
}

// run computes C[i0:i1, j0:j1].
func (p *product) run(w *workspace, i0, i1, j0, j1 int) {
	if p.isDots() {
		p.runDots(i0, i1, j0, j1)
		return
	}
	if p.isTurned() {
		p.runTurned(w, i0, i1, j0, j1)
		return
	}
	_, nr := p.isa.tile()
	stepK := evenPart(p.k, blockK, 1)
	stepN := evenPart(j1-j0, blockN, nr)
	for j := j0; j < j1; j += stepN {
		for k := 0; k < p.k; k += stepK {
			p.runBlock(w, i0, i1, j, min(j+stepN, j1), k, min(k+stepK, p.k))
		}
	}
}

// runBlock adds the contribution of the inner indices k0 ≤ p < k1 to C[i0:i1, j0:j1]; the first of them overwrites C
// unless the product accumulates.
func (p *product) runBlock(w *workspace, i0, i1, j0, j1, k0, k1 int) {
	mr, nr := p.isa.tile()
	s := strip{cols: j1 - j0, k: k1 - k0, rowC: p.ldc}
	s.setAccumulate(p.accumulate || k0 > 0)
	if p.transB || (p.m >= packBFromRows && p.ldb > packBFromPitch) {
		p.packB(w.b, j0, j1, k0, k1)
		s.b, s.stepB, s.panelB = w.b, nr, (k1-k0)*nr
	} else {
		s.b, s.stepB, s.panelB = p.b[k0*p.ldb+j0:], p.ldb, nr
	}
	packA := p.n >= packAFromCols || (p.stepA != 1 && p.n >= packATFromCols)

	for i := i0; i < i1; {
		// The rows that are left go in strips of equal height, give or take one: 28 rows and 1 would waste a strip.
		strips := (i1 - i + mr - 1) / mr
		s.rows = (i1 - i + strips - 1) / strips
		s.a, s.rowA, s.stepA = p.a[i*p.rowA+k0*p.stepA:], p.rowA, p.stepA
		if packA {
			s.packA(p.isa, w.a)
		}
		s.c = p.c[i*p.ldc+j0:]
		s.run(p.isa)
		i += s.rows
	}
}

// fewRows returns up to how many rows A·Bᵀ is computed as dot products, which need no packing at all, and up to how many as
// (B·Aᵀ)ᵀ, which packs A alone; both were measured.
func (s isa) fewRows() (dots, turned int) {
	switch s {
	case avx512:
		return 3, turnedRows
	case avx2:
		return 8, turnedRows
	case avx512BF16: // its matrices are pairs
		return 0, 0
	}
	return 3, 0
}

// isDots reports whether the product is computed row by row as dot products. It looks at the whole product, so that the
// answer does not depend on how the work is divided.
func (p *product) isDots() bool {
	dots, _ := p.isa.fewRows()
	return p.transB && p.stepA == 1 && p.m <= dots
}

// runDots computes C[i,j] as the dot product of row i of A and row j of B. A few rows of B at a time meet all rows of
// A, so that B is read from memory once.
func (p *product) runDots(i0, i1, j0, j1 int) {
	few := max(16, 4096/p.k&^3) // 16 KiB, and a multiple of four
	if i1-i0 == 1 {
		few = j1 - j0
	}
	for j := j0; j < j1; j += few {
		n := min(few, j1-j)
		for i := i0; i < i1; i++ {
			x := p.a[i*p.rowA : i*p.rowA+p.k]
			matVec(p.isa, p.c[i*p.ldc+j:i*p.ldc+j+n], p.b[j*p.ldb:], p.ldb, x, p.accumulate)
		}
	}
}

// isTurned reports whether the product is computed as its transpose, looking at the whole of it as isDots does.
func (p *product) isTurned() bool {
	_, turned := p.isa.fewRows()
	return p.transB && p.stepA == 1 && p.m <= turned
}

// runTurned computes C[i0:i1, j0:j1] as the transpose of B·Aᵀ, with B as it lies in memory, n×k. The few rows of A are then
// what is packed, and B is what a strip reads where it lies, every number of it once. The tile has all columns of its 8 or
// 16: what is beyond those of C comes of whatever the panel held, and is not carried over.
func (p *product) runTurned(w *workspace, i0, i1, j0, j1 int) {
	mr, nr := p.isa.tile()
	x := product{isa: p.isa, b: p.a[i0*p.rowA:], ldb: p.rowA, transB: true}
	s := strip{cols: (i1 - i0 + 7) &^ 7, rowA: p.ldb, stepA: 1, b: w.b, stepB: nr, c: w.tile, rowC: turnedRows}
	for k := 0; k < p.k; k += turnedK {
		s.k = min(turnedK, p.k-k)
		x.packB(w.b, 0, i1-i0, k, k+s.k)
		for j := j0; j < j1; j += s.rows {
			s.rows = min(mr, j1-j)
			s.a, s.ahead = p.b[j*p.ldb+k:], nil
			if j+s.rows < j1 {
				s.ahead = &s.a[s.rows*p.ldb]
			}
			s.run(p.isa)
			p.turnBack(w.tile, i0, i1, j, j+s.rows, p.accumulate || k > 0)
		}
	}
}

// turnBack writes the transpose of a tile to C[i0:i1, j0:j1], or adds it.
func (p *product) turnBack(tile []float32, i0, i1, j0, j1 int, accumulate bool) {
	if !accumulate {
		transpose(p.isa, p.c[i0*p.ldc+j0:], p.ldc, tile, turnedRows, j1-j0, i1-i0)
		return
	}
	for i := i0; i < i1; i++ {
		for j := range p.c[i*p.ldc+j0 : i*p.ldc+j1] {
			p.c[i*p.ldc+j0+j] += tile[j*turnedRows+i-i0]
		}
	}
}

// evenPart cuts length into the fewest parts that are no longer than limit and returns the length of a part, rounded up
// to a multiple of unit (which divides limit). 512 in parts of at most 384 makes two of 256, not 384 and 128.
func evenPart(length, limit, unit int) int {
	parts := (length + limit - 1) / limit
	part := (length + parts - 1) / parts
	return (part + unit - 1) / unit * unit
}
