package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrix is a stored operand with a row stride and unused values between and after its rows.
type matrix struct {
	rows, cols, ld int
	x              []float32
}

func newMatrix(rng *rand.Rand, rows, cols, gap int) matrix {
	m := matrix{rows: rows, cols: cols, ld: cols + gap}
	m.x = make([]float32, rows*m.ld)
	for i := range m.x {
		m.x[i] = float32(math.NaN()) // an unused value that is read shows up
	}
	for i := range rows {
		for j := range cols {
			m.x[i*m.ld+j] = float32(rng.NormFloat64())
		}
	}
	return m
}

// view returns op(m) as Gemm takes it.
func (m matrix) view(trans bool) Matrix {
	if trans {
		return Matrix{Rows: m.cols, Cols: m.rows, Data: m.x, Down: 1, Right: m.ld}
	}
	return Matrix{Rows: m.rows, Cols: m.cols, Data: m.x, Down: m.ld, Right: 1}
}

// at is element (i, j) of op(m).
func (m matrix) at(i, j int, trans bool) float64 {
	if trans {
		i, j = j, i
	}
	return float64(m.x[i*m.ld+j])
}

// product64 is op(A)·op(B) + C, or without C, in float64, and beside it Σ|terms|, the scale of the rounding error.
func product64(a, b, c matrix, transA, transB bool, k int, accumulate bool) (want, scale []float64) {
	for i := range c.rows {
		for j := range c.cols {
			var sum, abs float64
			if accumulate {
				sum, abs = c.at(i, j, false), math.Abs(c.at(i, j, false))
			}
			for p := range k {
				term := a.at(i, p, transA) * b.at(p, j, transB)
				sum, abs = sum+term, abs+math.Abs(term)
			}
			want, scale = append(want, sum), append(scale, abs)
		}
	}
	return want, scale
}

// requireProduct compares C with the float64 product:
//
//	|got - want| ≤ (k+1)·2⁻²⁴·Σ|terms|
//
// which is the standard bound for k+1 roundings, and checks that the gaps between C's rows still hold their NaN.
func requireProduct(t *testing.T, c matrix, k int, want, scale []float64) {
	t.Helper()
	for i := range c.rows {
		for j := range c.ld {
			got := float64(c.x[i*c.ld+j])
			if j >= c.cols {
				require.True(t, math.IsNaN(got), "C[%d] was written at column %d of %d", i, j, c.cols)
				continue
			}
			n := i*c.cols + j
			tolerance := float64(k+1) * 0x1p-24 * scale[n]
			if !(math.Abs(got-want[n]) <= tolerance) {
				t.Fatalf("C[%d,%d] = %v, want %v: |difference| %.3g > %.3g", i, j, got, want[n],
					math.Abs(got-want[n]), tolerance)
			}
		}
	}
}

// runCase computes one random product and compares it.
func runCase(t *testing.T, s isa, parallel bool, rng *rand.Rand, transA, transB bool, m, n, k int, accumulate bool) {
	t.Helper()
	ra, ca, rb, cb := m, k, k, n
	if transA {
		ra, ca = k, m
	}
	if transB {
		rb, cb = n, k
	}
	a := newMatrix(rng, ra, ca, rng.IntN(4))
	b := newMatrix(rng, rb, cb, rng.IntN(4))
	c := newMatrix(rng, m, n, rng.IntN(4))
	want, scale := product64(a, b, c, transA, transB, k, accumulate)
	if !accumulate {
		for i := range c.x {
			c.x[i] = float32(math.NaN()) // what is overwritten must not be read
		}
	}
	gemm(s, parallel, c.view(false), a.view(transA), b.view(transB), accumulate)
	requireProduct(t, c, k, want, scale)
}

// forms calls f for the eight combinations of transposition and accumulation.
func forms(f func(transA, transB, accumulate bool)) {
	for bits := range 8 {
		f(bits&1 != 0, bits&2 != 0, bits&4 != 0)
	}
}

func TestGemmSizes(t *testing.T) {
	for _, s := range supported() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(s)))
			for _, size := range [][3]int{
				{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {1, 65, 33}, {2, 17, 5}, {3, 33, 70}, {4, 4, 4},
				{5, 31, 1}, {6, 16, 8}, {7, 65, 10}, {14, 32, 9}, {15, 33, 17}, {13, 1, 50}, {64, 64, 64},
				{57, 96, 385}, {60, 300, 20}, {30, 530, 11}, {70, 97, 770}, {61, 513, 3},
			} {
				forms(func(transA, transB, accumulate bool) {
					name := fmt.Sprintf("%d×%d×%d/%v,%v,%v", size[0], size[1], size[2], transA, transB, accumulate)
					t.Run(name, func(t *testing.T) {
						runCase(t, s, false, rng, transA, transB, size[0], size[1], size[2], accumulate)
					})
				})
			}
		})
	}
}

// Every height and width of an edge, with and without packing.
func TestGemmEdges(t *testing.T) {
	for _, s := range supported() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, uint64(s)))
			mr, nr := s.tile()
			for m := 1; m <= mr+1; m++ {
				runCase(t, s, false, rng, false, false, m, nr+3, 4, m%2 == 0)
				runCase(t, s, false, rng, true, true, m, nr+3, 5, m%2 == 1)
			}
			for n := 1; n <= 2*nr+1; n++ {
				runCase(t, s, false, rng, false, false, mr, n, 3, n%2 == 0)
				runCase(t, s, false, rng, true, true, mr+1, n, 9, n%2 == 1)
			}
		})
	}
}

// Products of a few rows with a transposed B have ways of their own: every height, strips of every height, and an A that is
// packed in more than one part.
func TestFewRows(t *testing.T) {
	for _, s := range supported() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(6, uint64(s)))
			for m := 1; m <= turnedRows+1; m++ {
				for n := 1; n <= 30; n++ {
					runCase(t, s, false, rng, false, true, m, n, 1+rng.IntN(40), n%2 == m%2)
				}
				runCase(t, s, false, rng, false, true, m, 45, turnedK+rng.IntN(3)-1, m%2 == 0)
				runCase(t, s, false, rng, false, true, m, 3, 2*turnedK+5, m%2 == 1)
			}
		})
	}
}

func TestGemmRandom(t *testing.T) {
	for _, s := range supported() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, uint64(s)))
			for range 150 {
				m, n, k := 1+rng.IntN(90), 1+rng.IntN(90), 1+rng.IntN(60)
				runCase(t, s, false, rng, rng.IntN(2) == 0, rng.IntN(2) == 0, m, n, k, rng.IntN(2) == 0)
			}
		})
	}
}

func FuzzGemm(f *testing.F) {
	f.Add(uint64(1), uint8(14), uint8(32), uint8(8), uint8(0))
	f.Add(uint64(2), uint8(1), uint8(65), uint8(3), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, m, n, k, form uint8) {
		for _, s := range supported() {
			rng := rand.New(rand.NewPCG(seed, 0))
			runCase(t, s, form&8 != 0, rng, form&1 != 0, form&2 != 0, int(m), int(n), int(k), form&4 != 0)
		}
	})
}

func TestGemmPanics(t *testing.T) {
	rows := func(x []float32, rows, cols, ld int) Matrix { return Matrix{rows, cols, x, ld, 1} }
	columns := func(x []float32, rows, cols, ld int) Matrix { return Matrix{rows, cols, x, 1, ld} }
	x := make([]float32, 12)
	for _, c := range []struct {
		name string
		call func()
		want string
	}{
		{"negative size", func() { Gemm(rows(x, -1, 1, 1), rows(x, -1, 1, 1), rows(x, 1, 1, 1), false) }, "negative size"},
		{"A too short", func() { Gemm(rows(x, 4, 1, 1), rows(x, 4, 4, 4), rows(x, 4, 1, 1), false) }, "A is stored 4×4"},
		{"transposed A too short", func() { Gemm(rows(x, 3, 1, 1), columns(x, 3, 5, 3), rows(x, 5, 1, 1), false) }, "A is stored 5×3"},
		{"B too short", func() { Gemm(rows(x, 1, 4, 4), rows(x, 1, 4, 4), rows(x, 4, 4, 4), false) }, "B is stored 4×4"},
		{"C too short", func() { Gemm(rows(x, 4, 4, 4), rows(x, 4, 1, 1), rows(x, 1, 4, 4), false) }, "C is stored 4×4"},
		{"stride too small", func() { Gemm(rows(x, 1, 2, 2), rows(x, 1, 3, 3), columns(x, 3, 2, 2), false) }, "must be at least 3, got 2"},
		{"stride overflows", func() { Gemm(rows(x, 3, 1, 1), rows(x, 3, 1, math.MaxInt/2+1), rows(x, 1, 1, 1), false) }, "does not fit"},
		{"sizes differ", func() { Gemm(rows(x, 2, 2, 2), rows(x, 2, 3, 3), rows(x, 2, 2, 2), false) }, "A 2×3 times B 2×2 is not C 2×2"},
		{"C in columns", func() { Gemm(columns(x, 2, 2, 2), rows(x, 2, 2, 2), rows(x, 2, 2, 2), false) }, "C must lie in rows"},
		{"B in no order", func() { Gemm(rows(x, 2, 2, 2), rows(x, 2, 2, 2), Matrix{2, 2, x, 5, 2}, false) }, "B: one of Down and Right must be 1, got 5 and 2"},
		{"copy: dst too short", func() { Copy(x, 7, x, 4, 3, 4) }, "dst is stored 3×4"},
		{"transpose: stride too small", func() { Transpose(x, 2, x, 4, 3, 4) }, "must be at least 3, got 2"},
		{"matrix times vector: A too short", func() { MatVec(x, x, 2, x[:2], false) }, "A is stored 12×2"},
		{"tile: a too short", func() { Best().Tile(100, x, x, x, 64, false) }, "k = 100"},
		{"tile: zero Micro", func() { Micro{}.Tile(1, x, x, x, 1, false) }, "zero Micro"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { require.Contains(t, fmt.Sprint(recover()), c.want) }()
			c.call()
		})
	}
}

// The number of workers must not change a single bit.
func TestGemmWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, size := range [][3]int{{300, 170, 129}, {65, 700, 400}, {2, 3000, 900}, {3, 9000, 150}, {7, 500, 200}, {16, 1001, 300}, {16, 9, 300}, {900, 65, 200}} {
		forms(func(transA, transB, accumulate bool) {
			m, n, k := size[0], size[1], size[2]
			a, b := newMatrix(rng, m, k, 0), newMatrix(rng, k, n, 0)
			if transA {
				a = newMatrix(rng, k, m, 0)
			}
			if transB {
				b = newMatrix(rng, n, k, 0)
			}
			alone := newMatrix(rng, m, n, 0).x
			shared := append([]float32(nil), alone...)
			p := product{isa: best(), m: m, n: n, k: k, a: a.x, rowA: a.ld, stepA: 1, b: b.x, ldb: b.ld, transB: transB,
				c: shared, ldc: n, accumulate: accumulate}
			if transA {
				p.rowA, p.stepA = 1, a.ld
			}
			theCrew.busy.Lock()
			theCrew.run(&p, 4)
			theCrew.busy.Unlock()
			GemmSerial(matrix{m, n, n, alone}.view(false), a.view(transA), b.view(transB), accumulate)
			require.Equal(t, alone, shared, "%v %v %v %v", size, transA, transB, accumulate)
		})
	}
}

func TestGemmAllocatesNothing(t *testing.T) {
	const n = 300
	x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	square := func(x []float32, trans bool) Matrix { return matrix{n, n, n, x}.view(trans) }
	for _, call := range []func(){
		func() { Gemm(square(z, false), square(x, false), square(y, true), false) },
		func() { GemmSerial(square(z, false), square(x, true), square(y, false), true) },
		func() { Gemm(oneRow(z[:n]), oneRow(x[:n]), square(y, true), false) },
		func() { Exp(z, x); Sigmoid(z, x); Max(x) },
	} {
		require.Zero(t, testing.AllocsPerRun(5, call))
	}
}

func TestMicroTile(t *testing.T) {
	for _, micro := range Micros() {
		for _, k := range []int{0, 1, 7} {
			for _, accumulate := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(5, uint64(k)))
				a := newMatrix(rng, k, micro.MR, 0)
				b := newMatrix(rng, k, micro.NR, 0)
				c := newMatrix(rng, micro.MR, micro.NR, 3)
				want, scale := product64(a, b, c, true, false, k, accumulate)
				micro.Tile(k, a.x, b.x, c.x, c.ld, accumulate)
				requireProduct(t, c, k, want, scale)
			}
		}
	}
	require.Equal(t, "portable", Micros()[len(Micros())-1].Name)
	require.Equal(t, Micros()[0], Best())
}

// A single row needs no stride, nor does a column whose rows lie side by side.
func TestSingleRows(t *testing.T) {
	x, dst := []float32{1, 2, 3}, make([]float32, 3)
	Copy(dst, 0, x, 1, 1, 3)
	require.Equal(t, x, dst)
	clear(dst)
	Copy(dst, 1, x, 1, 3, 1)
	require.Equal(t, x, dst)
	clear(dst)
	Transpose(dst, 3, x, 1, 3, 1)
	require.Equal(t, x, dst)
	clear(dst)
	Transpose(dst, 1, x, 0, 1, 3)
	require.Equal(t, x, dst)
	for _, m := range []int{1, 5, 16} { // B is one row, turned: its stride is not looked at
		c := make([]float32, m)
		Gemm(Matrix{m, 1, c, 1, 1}, stored(make([]float32, 3*m), m, 3), Matrix{3, 1, x, 1, -1}, false)
		require.Equal(t, make([]float32, m), c)
	}
	Copy(nil, 0, nil, 0, 0, 0)
	Transpose(nil, 0, nil, 0, 0, 0)
}
