package kernel

import "fmt"

// Micro is a micro-kernel: it computes one MR×NR tile of C from packed panels, holding the tile in registers. Blocking,
// packing, tails and parallelism are what one builds around it.
type Micro struct {
	Name   string
	MR, NR int
	isa    isa
}

// Micros lists the micro-kernels that this machine can run, best first. The last is always the portable one.
func Micros() []Micro {
	var micros []Micro
	for _, s := range supported() {
		mr, nr := s.tile()
		micros = append(micros, Micro{Name: s.String(), MR: mr, NR: nr, isa: s})
	}
	return micros
}

// Best is the first of Micros.
func Best() Micro {
	mr, nr := best().tile()
	return Micro{Name: best().String(), MR: mr, NR: nr, isa: best()}
}

// BestBF16 is what GemmBF16 is built around. In pairs, every value of its panels is two bfloat16s, of two steps of k that
// follow each other; otherwise it is Best.
func BestBF16() (m Micro, pairs bool) {
	if !hasBF16() {
		return Best(), false
	}
	mr, nr := avx512BF16.tile()
	return Micro{Name: avx512BF16.String(), MR: mr, NR: nr, isa: avx512BF16}, true
}

// Gemm is the package's Gemm built around this micro-kernel, for comparing them.
func (m Micro) Gemm(c, a, b Matrix, accumulate bool) {
	watched(c, a)
	gemm(m.isa, true, c, a, b, accumulate)
}

// Tile computes one tile of a product:
//
//	C[i,j] = Σ_p a[p·MR+i] · b[p·NR+j]        0 ≤ i < MR, 0 ≤ j < NR, 0 ≤ p < k
//
// and adds it to C when accumulate is set. The panel a is k×MR (for each p its MR values, side by side), b is k×NR, and
// C has the row stride ldc. Exactly MR×NR elements of c are written, so a tile at the edge of a matrix needs a scratch
// tile. k may be 0. c must not overlap a or b.
//
// It panics if a slice is too short, if ldc < NR, or if k is negative.
func (m Micro) Tile(k int, a, b, c []float32, ldc int, accumulate bool) {
	if m.MR == 0 {
		panic("kernel: Tile: the zero Micro has no code; take one from Micros or Best")
	}
	if k < 0 || len(a)/m.MR < k || len(b)/m.NR < k {
		panic(fmt.Sprintf("kernel: Tile %s: k = %d needs %d×%d values in a and %d×%d in b, got %d and %d",
			m.Name, k, k, m.MR, k, m.NR, len(a), len(b)))
	}
	if ldc < m.NR || (len(c)-m.NR)/ldc < m.MR-1 || len(c) < m.NR {
		panic(fmt.Sprintf("kernel: Tile %s: a %d×%d tile with row stride %d does not fit into %d values of c",
			m.Name, m.MR, m.NR, ldc, len(c)))
	}
	if k == 0 {
		if !accumulate {
			for i := range m.MR {
				clear(c[i*ldc : i*ldc+m.NR])
			}
		}
		return
	}
	s := strip{rows: m.MR, cols: m.NR, k: k, a: a, rowA: 1, stepA: m.MR, b: b, stepB: m.NR, c: c, rowC: ldc}
	s.setAccumulate(accumulate)
	s.run(m.isa)
}
