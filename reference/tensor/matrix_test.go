package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func counting(shape ...int) *Tensor {
	t := New(shape...)
	for i := range t.Data {
		t.Data[i] = float32(i)
	}
	return t
}

// elements reads m one by one.
func elements(m Matrix) [][]float32 {
	rows := make([][]float32, m.Rows)
	for i := range rows {
		for j := range m.Cols {
			rows[i] = append(rows[i], m.At(i, j))
		}
	}
	return rows
}

func TestViews(t *testing.T) {
	x := counting(2, 2, 3) // 0 … 11
	for name, test := range map[string]struct {
		got  Matrix
		want [][]float32
	}{
		"the whole":                {x.Matrix(), [][]float32{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}},
		"its transpose":            {x.Matrix().T(), [][]float32{{0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8, 11}}},
		"twice transposed":         {x.MatrixAt(0).T().T(), [][]float32{{0, 1, 2}, {3, 4, 5}}},
		"the second matrix":        {x.MatrixAt(1), [][]float32{{6, 7, 8}, {9, 10, 11}}},
		"a vector":                 {counting(3).Matrix(), [][]float32{{0, 1, 2}}},
		"a scalar":                 {counting().Matrix(), [][]float32{{0}}},
		"a block":                  {x.Matrix().Block(1, 1, 2, 2), [][]float32{{4, 5}, {7, 8}}},
		"a block of the transpose": {x.Matrix().T().Block(1, 2, 2, 2), [][]float32{{7, 10}, {8, 11}}},
		"the transpose of a block": {x.Matrix().Block(1, 1, 2, 2).T(), [][]float32{{4, 7}, {5, 8}}},
		"a block of a block":       {x.Matrix().Block(1, 0, 3, 3).Block(1, 1, 1, 2), [][]float32{{7, 8}}},
		"some of all rows":         {x.SliceRows(1, 3).Matrix(), [][]float32{{3, 4, 5}, {6, 7, 8}}},
		"no rows":                  {x.Matrix().Block(4, 3, 0, 0), [][]float32{}},
		"no columns":               {x.Matrix().Block(2, 3, 1, 0), [][]float32{nil}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, elements(test.got)) })
	}
	require.Equal(t, 2, x.Matrices())
	require.Equal(t, 6, New(3, 2, 5, 7).Matrices())
	require.Zero(t, New(3, 0, 5, 7).Matrices())

	x.Matrix().T().Block(1, 2, 2, 2).Data[0] = 70 // the same memory
	require.Equal(t, float32(70), x.At(1, 0, 1))
}

// Whoever appends to a view writes to nothing that belongs to another.
func TestViewsAppend(t *testing.T) {
	for _, shape := range [][]int{{12}, {3, 4}, {2, 3, 2}, {1, 2, 3, 2}, {1, 1, 2, 3, 2}, {1, 1, 2, 1, 3, 2}} {
		v := counting(12).Reshape(shape...)
		one, two := append(v.Shape, 1), append(v.Shape, 2)
		require.Equal(t, 1, one[len(one)-1])
		require.Equal(t, 2, two[len(two)-1])
	}
	x := counting(3, 4)
	_ = append(x.SliceRows(0, 1).Data, 9)
	_ = append(x.Slice(0, 1).Data, 9)
	require.Equal(t, counting(3, 4), x)
	require.Equal(t, []int{1, 1}, New().SliceRows(0, 1).Shape)
	for _, bad := range [][2]int{{-1, 1}, {2, 1}, {0, 4}} {
		require.Panics(t, func() { New(3, 0).SliceRows(bad[0], bad[1]) })
	}
}

func TestViewsRefuse(t *testing.T) {
	m := New(2, 3).Matrix()
	for name, call := range map[string]func(){
		"too many rows":    func() { m.Block(1, 0, 2, 1) },
		"too many columns": func() { m.Block(0, 1, 1, 3) },
		"before the start": func() { m.Block(0, -1, 1, 1) },
		"a negative size":  func() { m.Block(0, 1, 1, -1) },
		"copy of another":  func() { Copy(m, m.T()) },
		"lead of a vector": func() { New(3).Lead(2) },
	} {
		t.Run(name, func(t *testing.T) { require.Panics(t, call) })
	}
	require.PanicsWithError(t, "Matrix.Block: end of the block: got shape (3, 1), want (2, 3)",
		func() { m.Block(1, 0, 2, 1) })
}

// stored returns a matrix of random numbers that is part of a larger one, which
// is NaN everywhere else, and stored by columns if transposed is set.
func stored(rng *rand.Rand, rows, cols int, transposed bool) Matrix {
	if transposed {
		return stored(rng, cols, rows, false).T()
	}
	larger := New(rows+1, cols+2)
	larger.Fill(float32(math.NaN()))
	m := larger.Matrix().Block(1, 1, rows, cols)
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(float32(rng.IntN(9)-4), i, j)
		}
	}
	return m
}

// Small whole numbers have exact products, so that what is summed in another
// order is compared bit for bit.
func TestMul(t *testing.T) {
	sizes := [][3]int{{1, 1, 1}, {2, 3, 4}, {1, 7, 5}, {5, 1, 3}, {4, 6, 1}, {33, 17, 20}, {3, 2, 0}, {0, 2, 3}, {2, 0, 3}}
	naive := func(dst, a, b Matrix, accumulate bool) {
		require.Equal(t, 1, dst.Right, "what Product promises")
		for i := range dst.Rows {
			for j := range dst.Cols {
				sum := float32(0)
				for p := range a.Cols {
					sum += a.At(i, p) * b.At(p, j)
				}
				if accumulate {
					sum += dst.At(i, j)
				}
				dst.Set(sum, i, j)
			}
		}
	}
	for _, product := range []struct {
		name string
		use  func() (restore func())
	}{
		{"the kit's", func() func() { return UseProduct(nil) }},
		{"another", func() func() { return UseProduct(naive) }},
	} {
		for _, size := range sizes {
			for bits := range 16 {
				transDst, transA, transB, add := bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0
				name := fmt.Sprintf("%s/%v/dstT=%v/aT=%v/bT=%v/add=%v", product.name, size, transDst, transA, transB, add)
				t.Run(name, func(t *testing.T) {
					defer product.use()()
					rng := rand.New(rand.NewPCG(1, uint64(bits)))
					m, n, k := size[0], size[1], size[2]
					a, b, dst := stored(rng, m, k, transA), stored(rng, k, n, transB), stored(rng, m, n, transDst)
					want := elements(dst)
					for i := range want {
						for j := range want[i] {
							if !add {
								want[i][j] = 0
							}
							for p := range k {
								want[i][j] += a.At(i, p) * b.At(p, j)
							}
						}
					}
					if add {
						MulAdd(dst, a, b)
					} else {
						Mul(dst, a, b)
					}
					require.Equal(t, want, elements(dst))
				})
			}
		}
	}
}

// Products of a few rows do not reach what is put under Mul, and all others do.
func TestFewRows(t *testing.T) {
	reached := false
	defer UseProduct(func(dst, a, b Matrix, accumulate bool) { reached = true })()
	for _, c := range []struct {
		rows      int
		b         Matrix
		wantReach bool
	}{
		{1, New(3, 2).Matrix(), false},
		{1, New(2, 3).Matrix().T(), false},
		{2, New(2, 3).Matrix().T(), true},
		{16, New(128, 128).Matrix().T(), false},
		{16, New(128, 128).Matrix(), true},
		{16, New(127, 128).Matrix().T(), true},
		{17, New(128, 128).Matrix().T(), true},
	} {
		reached = false
		Mul(New(c.rows, c.b.Cols).Matrix(), New(c.rows, c.b.Rows).Matrix(), c.b)
		require.Equal(t, c.wantReach, reached, "%d rows times %d×%d", c.rows, c.b.Rows, c.b.Cols)
	}
}

// A product writes its own elements and nothing between the rows.
func TestMulLeavesTheRestAlone(t *testing.T) {
	larger := counting(3, 4)
	ones := New(2, 2)
	ones.Fill(1)
	Mul(larger.Matrix().Block(1, 1, 2, 2), ones.Matrix(), ones.Matrix())
	require.Equal(t, []float32{0, 1, 2, 3, 4, 2, 2, 7, 8, 2, 2, 11}, larger.Data)
	Mul(larger.Matrix().Block(1, 1, 2, 2), New(2, 0).Matrix(), New(0, 2).Matrix())
	require.Equal(t, []float32{0, 1, 2, 3, 4, 0, 0, 7, 8, 0, 0, 11}, larger.Data, "a sum of nothing")
}

func TestMulRefuses(t *testing.T) {
	a, b := New(2, 3).Matrix(), New(4, 3).Matrix()
	require.PanicsWithError(t, "tensor.Mul: b, whose rows are the columns of a: got shape (4, 3), want (3, 3)",
		func() { Mul(New(2, 3).Matrix(), a, b) })
	require.PanicsWithError(t, "tensor.MulAdd: dst: got shape (4, 2), want (2, 4)",
		func() { MulAdd(New(4, 2).Matrix(), a, b.T()) })
}

func TestCopy(t *testing.T) {
	for bits := range 4 {
		for _, size := range [][2]int{{2, 3}, {1, 5}, {5, 1}, {9, 17}, {0, 3}, {3, 0}} {
			rng := rand.New(rand.NewPCG(2, uint64(bits)))
			src, dst := stored(rng, size[0], size[1], bits&1 != 0), stored(rng, size[0], size[1], bits&2 != 0)
			Copy(dst, src)
			require.Equal(t, elements(src), elements(dst), "%v, %b", size, bits)
		}
	}
}

func TestViewsAllocateNothing(t *testing.T) {
	x, w, y := New(4, 8, 16), New(24, 16), New(4, 8, 24)
	half := New(4, 8, 8)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		y = ReuseLead(y, x.Lead(1), 24)
		Mul(y.Matrix(), x.Matrix(), w.Matrix().T())
		MulAdd(w.Matrix(), y.Matrix().T(), x.Matrix())
		for i := range x.Matrices() {
			Copy(half.MatrixAt(i), x.MatrixAt(i).Block(0, 8, 8, 8))
		}
		CheckLead("y", y, x.Lead(1), 24)
	}))
}

func TestReuseLead(t *testing.T) {
	x := New(2, 3, 5)
	y := ReuseLead(nil, x.Lead(1), 7)
	require.Equal(t, []int{2, 3, 7}, y.Shape)
	require.Len(t, y.Data, 42)
	smaller := ReuseLead(y, x.Lead(2), 1, 2)
	require.Same(t, y, smaller, "its memory is large enough")
	require.Equal(t, []int{2, 1, 2}, smaller.Shape)
	require.Len(t, smaller.Data, 4)
	larger := ReuseLead(smaller, nil, 43)
	require.NotSame(t, y, larger)
	require.Equal(t, []int{2, 1, 2}, y.Shape, "whoever holds the old one keeps it")
}

func TestCheckLead(t *testing.T) {
	x := New(2, 3, 5)
	CheckLead("x", x, []int{2}, 3, Any)
	CheckLead("x", x, nil, 2, 3, 5)
	require.PanicsWithError(t, "x: got shape (2, 3, 5), want (2, *, 4)", func() { CheckLead("x", x, []int{2}, Any, 4) })
	require.PanicsWithError(t, "x: got shape (2, 3, 5), want (3, 3, *)", func() { CheckLead("x", x, []int{3}, 3, Any) })
	require.PanicsWithError(t, "x is nil: got shape (), want (2, *)", func() { CheckLead("x", nil, []int{2}, Any) })
}
