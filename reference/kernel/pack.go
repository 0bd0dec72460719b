package kernel

import "sync"

// packB copies op(B)[k0:k1, j0:j1] into dst as panels of NR columns. A panel is (k1-k0)×NR, contiguous; the missing
// columns of the last one are not written, and no strip reads them into an element of C that exists.
func (p *product) packB(dst []float32, j0, j1, k0, k1 int) {
	_, nr := p.isa.tile()
	k := k1 - k0
	for j := j0; j < j1; j += nr {
		cols := min(nr, j1-j)
		if p.transB {
			transpose(p.isa, dst, nr, p.b[j*p.ldb+k0:], p.ldb, cols, k)
		} else {
			copyRows(p.isa, dst, nr, p.b[k0*p.ldb+j:], p.ldb, k, cols)
		}
		dst = dst[k*nr:]
	}
}

// packA copies the strip's rows of A into dst and makes the strip read them there. A row that is contiguous stays so;
// otherwise the values of one step are put side by side.
func (s *strip) packA(with isa, dst []float32) {
	if s.stepA == 1 {
		for i := range s.rows {
			copy(dst[i*s.k:(i+1)*s.k], s.a[i*s.rowA:i*s.rowA+s.k])
		}
		s.a, s.rowA = dst, s.k
		return
	}
	copyRows(with, dst, s.rows, s.a, s.stepA, s.k, s.rows)
	s.a, s.stepA = dst, s.rows
}

// Copy copies a matrix of rows×cols values from src, whose rows are lds apart, to dst, whose rows are ldd apart:
//
//	dst[i·ldd+j] = src[i·lds+j]        0 ≤ i < rows, 0 ≤ j < cols
//
// It is meant for the short rows of a packed panel, for which a call of copy for each costs more than the copying. dst
// must not overlap src. It panics if a size is negative, the stride of more than one row is smaller than a row, or a
// slice is too short.
func Copy(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	checkStored("Copy", "dst", dst, rows, cols, ldd)
	checkStored("Copy", "src", src, rows, cols, lds)
	if rows > 0 && cols > 0 {
		copyRows(best(), dst, ldd, src, lds, rows, cols)
	}
}

// Transpose writes the transpose of a matrix of rows×cols values:
//
//	dst[j·ldd+i] = src[i·lds+j]        0 ≤ i < rows, 0 ≤ j < cols
//
// dst must not overlap src. It panics as Copy does.
func Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	checkStored("Transpose", "dst", dst, cols, rows, ldd)
	checkStored("Transpose", "src", src, rows, cols, lds)
	if rows > 0 && cols > 0 {
		transpose(best(), dst, ldd, src, lds, rows, cols)
	}
}

// copyRows writes dst[i·ldd+j] = src[i·lds+j] for 0 ≤ i < rows and 0 ≤ j < cols.
func copyRows(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if copyRowsFast(s, dst, ldd, src, lds, rows, cols) {
		return
	}
	for i := range rows {
		copy(dst[i*ldd:i*ldd+cols], src[i*lds:i*lds+cols])
	}
}

// transpose writes dst[j·ldd+i] = src[i·lds+j] for 0 ≤ i < rows, 0 ≤ j < cols.
func transpose(s isa, dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if transposeFast(s, dst, ldd, src, lds, rows, cols) {
		return
	}
	for i := range rows {
		for j, x := range src[i*lds : i*lds+cols] {
			dst[j*ldd+i] = x
		}
	}
}

// workspace holds the packed operands of one worker.
type workspace struct {
	a, b []float32
	tile []float32 // of a product that is computed as its transpose
}

func newWorkspace() *workspace {
	const maxMR, maxNR = 14, 32
	return &workspace{a: make([]float32, maxMR*blockK), b: make([]float32, blockK*(blockN+maxNR)),
		tile: make([]float32, maxMR*turnedRows)}
}

// workspaces keeps the buffers between products. It is a list of our own, not a sync.Pool, which the garbage collector
// empties.
var workspaces = freeList{make: newWorkspace}

type freeList struct {
	make func() *workspace
	mu   sync.Mutex
	free []*workspace
}

func (l *freeList) take() *workspace {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return l.make()
	}
	last := len(l.free) - 1
	w := l.free[last]
	l.free = l.free[:last]
	return w
}

func (l *freeList) put(w *workspace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, w)
}
