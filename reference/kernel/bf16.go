package kernel

import "math"

// GemmBF16 is Gemm with the elements of A and B rounded to bfloat16, the upper half of a float32, to the nearest and of
// two equally near to the even one. Products and sums are those of float32: a product of two bfloat16s is exact in it. C
// stays float32.
//
// A processor with AVX512_BF16 multiplies two steps of k at a time; on others the rounded matrices are multiplied as
// Gemm does. The two differ in the order of the sums, and numbers below 2⁻¹²⁶ are zeros to the former.
//
// It panics as Gemm does.
func GemmBF16(c, a, b Matrix, accumulate bool) {
	watched(c, a)
	gemmBF16(hasBF16(), c, a, b, accumulate)
}

func gemmBF16(inPairs bool, c, a, b Matrix, accumulate bool) {
	checkProduct(c, a, b)
	if c.Rows == 0 || c.Cols == 0 || a.Cols == 0 {
		gemm(best(), false, c, a, b, accumulate)
		return
	}
	s := halfspaces.take()
	defer halfspaces.put(s)
	if !inPairs {
		s.a, a = rounded(s.a, a)
		s.b, b = rounded(s.b, b)
		gemm(best(), true, c, a, b, accumulate)
		return
	}
	p := product{isa: avx512BF16, m: c.Rows, n: c.Cols, k: (a.Cols + 1) / 2, c: c.Data, ldc: c.Down, accumulate: accumulate}
	left, right := pairs(&s.a, a), pairs(&s.b, b.transposed())
	p.a, p.rowA, p.stepA = left.Data, left.Down, left.Right
	if p.b, p.ldb = right.Data, right.Right; right.Right == 1 {
		p.transB, p.ldb = true, right.Down
	}
	p.compute(true)
}

// transposed is the transpose, in the same place.
func (m Matrix) transposed() Matrix {
	return Matrix{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Down: m.Right, Right: m.Down}
}

// pairs puts every two neighbours in a row of m side by side as bfloat16s, the second above the first in the 32 bits of a
// value, and 0 above the last if it has no neighbour. What it returns has half the columns, and lies in space as m does.
func pairs(space *[]float32, m Matrix) Matrix {
	half := Matrix{Rows: m.Rows, Cols: (m.Cols + 1) / 2}
	half.Data = grown(space, half.Rows*half.Cols)
	if m.Right == 1 {
		half.Down, half.Right = half.Cols, 1
		for i := range m.Rows {
			pairRow(half.Data[i*half.Cols:][:half.Cols], m.Data[i*m.Down:][:m.Cols])
		}
		return half
	}
	half.Down, half.Right = 1, half.Rows
	for p := range half.Cols {
		x := m.Data[2*p*m.Right:][:m.Rows]
		y := []float32(nil)
		if 2*p+1 < m.Cols {
			y = m.Data[(2*p+1)*m.Right:][:m.Rows]
		}
		pairRows(half.Data[p*half.Rows:][:half.Rows], x, y)
	}
	return half
}

// pairRow writes the pairs of neighbours in x.
func pairRow(dst, x []float32) {
	for p := pairRowFast(dst, x); p < len(dst); p++ {
		dst[p] = pair(x[2*p], 0)
		if 2*p+1 < len(x) {
			dst[p] = pair(x[2*p], x[2*p+1])
		}
	}
}

// pairRows writes the pairs of x[i] and y[i]; y may be nil, which is 0.
func pairRows(dst, x, y []float32) {
	i := 0
	if y != nil {
		i = pairRowsFast(dst, x, y)
	}
	for ; i < len(x); i++ {
		dst[i] = pair(x[i], 0)
		if y != nil {
			dst[i] = pair(x[i], y[i])
		}
	}
}

// pair is two bfloat16s in the bits of a float32, which is no number.
func pair(first, second float32) float32 {
	return math.Float32frombits(bf16Bits(second)<<16 | bf16Bits(first))
}

// bf16Bits rounds to bfloat16 and returns its 16 bits.
func bf16Bits(x float32) uint32 {
	bits := math.Float32bits(x)
	if x != x {
		return bits>>16 | 0x40 // still no number when the lower half is gone
	}
	return (bits + 0x7fff + bits>>16&1) >> 16
}

// rounded copies m, rounded, to space, and returns both.
func rounded(space []float32, m Matrix) ([]float32, Matrix) {
	from, rows := m, m.Rows
	if m.Right != 1 {
		from, rows = m.transposed(), m.Cols
	}
	dst := grown(&space, rows*from.Cols)
	for i := range rows {
		for j, x := range from.Data[i*from.Down:][:from.Cols] {
			dst[i*from.Cols+j] = math.Float32frombits(bf16Bits(x) << 16)
		}
	}
	from.Data, from.Down = dst, from.Cols
	if m.Right != 1 {
		from = from.transposed()
	}
	return space, from
}

// grown returns the first n values of space, which it replaces if it is too small.
func grown(space *[]float32, n int) []float32 {
	if cap(*space) < n {
		*space = make([]float32, n)
	}
	return (*space)[:n]
}

// halfspaces keeps the room for what is rounded between products.
var halfspaces = freeList{make: func() *workspace { return &workspace{} }}
