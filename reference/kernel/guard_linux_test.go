package kernel

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// guard hands out float32 slices in memory whose neighbouring pages may not be touched, so that a read or a write out of
// bounds, however small, ends the test.
type guard struct {
	t    *testing.T
	page int
}

// slices returns two slices of n values: the first ends where a forbidden page begins, the second begins where one ends.
func (g guard) slices(n int) [2][]float32 {
	g.t.Helper()
	size := (4*n + g.page - 1) / g.page * g.page
	memory, err := syscall.Mmap(-1, 0, size+2*g.page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(g.t, err)
	g.t.Cleanup(func() { require.NoError(g.t, syscall.Munmap(memory)) })
	require.NoError(g.t, syscall.Mprotect(memory[:g.page], syscall.PROT_NONE))
	require.NoError(g.t, syscall.Mprotect(memory[g.page+size:], syscall.PROT_NONE))
	if n == 0 {
		return [2][]float32{}
	}
	atEnd := unsafe.Slice((*float32)(unsafe.Pointer(&memory[g.page+size-4*n])), n)
	atStart := unsafe.Slice((*float32)(unsafe.Pointer(&memory[g.page])), n)
	return [2][]float32{atEnd, atStart}
}

// fill copies random values into x.
func fill(rng *rand.Rand, x []float32) {
	copy(x, randomVector(rng, len(x)))
}

func TestGemmStaysInBounds(t *testing.T) {
	g := guard{t, syscall.Getpagesize()}
	rng := rand.New(rand.NewPCG(11, 11))
	for _, size := range [][3]int{
		{1, 1, 1}, {1, 40, 9}, {2, 7, 31}, {3, 33, 17}, {5, 16, 8}, {6, 15, 24}, {13, 31, 5}, {14, 5, 9}, {14, 32, 16}, {15, 33, 9}, {28, 3, 7},
		{29, 47, 23}, {57, 65, 33}, {60, 257, 18}, {57, 31, 385},
	} {
		m, n, k := size[0], size[1], size[2]
		as, bs, cs := g.slices(m*k), g.slices(k*n), g.slices(m*n)
		for _, s := range supported() {
			forms(func(transA, transB, accumulate bool) {
				for side := range 2 {
					a, b, c := as[side], bs[side], cs[side]
					fill(rng, a)
					fill(rng, b)
					fill(rng, c)
					ma, mb := matrix{m, k, k, a}, matrix{k, n, n, b}
					if transA {
						ma = matrix{k, m, m, a}
					}
					if transB {
						mb = matrix{n, k, k, b}
					}
					before := append([]float32(nil), c...)
					want, scale := product64(ma, mb, matrix{m, n, n, before}, transA, transB, k, accumulate)
					gemm(s, false, matrix{m, n, n, c}.view(false), ma.view(transA), mb.view(transB), accumulate)
					requireProduct(t, matrix{m, n, n, c}, k, want, scale)
				}
			})
		}
	}
}

func TestVectorsStayInBounds(t *testing.T) {
	g := guard{t, syscall.Getpagesize()}
	rng := rand.New(rand.NewPCG(12, 12))
	for n := range 100 {
		xs, ys, zs := g.slices(n), g.slices(n), g.slices(n)
		for side := range 2 {
			x, y, z := xs[side], ys[side], zs[side]
			fill(rng, x)
			fill(rng, y)
			for _, s := range supported() {
				exp(s, z, x)
				sigmoid(s, z, x)
				dot(s, x, y)
				sum(s, x)
				maximum(s, x)
				axpy(s, 2, x, z)
				axpby(s, 2, x, 3, z)
				scaleTo(s, z, 2, x)
				addConst(s, z, 2, x)
				sqrt(s, z, x)
				add(s, z, x, y)
				mul(s, z, x, y)
				div(s, z, x, y)
				mulAdd(s, z, x, y)
				sumSquares(s, x)
			}
		}
	}
}

func TestMatricesStayInBounds(t *testing.T) {
	g := guard{t, syscall.Getpagesize()}
	rng := rand.New(rand.NewPCG(16, 16))
	for _, size := range [][2]int{
		{1, 1}, {3, 9}, {4, 5}, {4, 8}, {5, 33}, {6, 11}, {7, 6}, {8, 8}, {9, 4}, {9, 17}, {11, 7}, {14, 40}, {40, 14}, {32, 32},
	} {
		rows, cols := size[0], size[1]
		as, bs, xs, ys := g.slices(rows*cols), g.slices(rows*cols), g.slices(cols), g.slices(rows)
		for side := range 2 {
			fill(rng, as[side])
			fill(rng, xs[side])
			for _, s := range supported() {
				copyRows(s, bs[side], cols, as[side], cols, rows, cols)
				transpose(s, bs[side], rows, as[side], cols, rows, cols)
				matVec(s, ys[side], as[side], cols, xs[side], false)
			}
		}
	}
}

func TestInt8sStayInBounds(t *testing.T) {
	g := guard{t, syscall.Getpagesize()}
	rng := rand.New(rand.NewPCG(17, 17))
	for _, n := range []int{32, 64, 68, 96, 100, 128, 192} {
		for _, group := range []int{12, 32, 64, 96} {
			const rows = 5
			groups := (n + group - 1) / group
			ws, xs, scales := g.slices(rows*n/4), g.slices(n/4), g.slices(rows*groups)
			for side := range 2 {
				bytes := func(x []float32) []int8 { return unsafe.Slice((*int8)(unsafe.Pointer(&x[0])), 4*len(x)) }
				w, x := randomInt8s(rng, bytes(ws[side]), rows, n, group), randomInt8s(rng, bytes(xs[side]), 1, n, group)
				copy(scales[side], w.Scale)
				w.Scale = scales[side]
				for _, s := range supported() {
					requireInt8(t, s, make([]float32, rows), w, x)
				}
			}
		}
	}
}

func TestTileStaysInBounds(t *testing.T) {
	g := guard{t, syscall.Getpagesize()}
	for _, micro := range Micros() {
		const k = 5
		as, bs, cs := g.slices(k*micro.MR), g.slices(k*micro.NR), g.slices(micro.MR*micro.NR)
		for side := range 2 {
			micro.Tile(k, as[side], bs[side], cs[side], micro.NR, true)
		}
	}
}
