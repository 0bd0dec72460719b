package tensor

import "github.com/stubformer/stubformer/reference/kernel"

// Matrix is a view of a matrix in memory that belongs to somebody else, mostly
// a Tensor: element (i, j) is Data[i*Down + j*Right]. Down is the distance from
// an element to the one below it, Right to the one on its right. One of them is
// 1: either the rows lie in one piece, or, after T, the columns do.
//
// A view is a small value. To make one allocates nothing and copies no element.
type Matrix struct {
	Rows, Cols  int
	Data        []float32
	Down, Right int
}

// Matrix returns the whole of t as one matrix: all leading dimensions together
// are the rows. A tensor (B, T, D) gives (B·T, D), a matrix itself, a vector one
// row.
func (t *Tensor) Matrix() Matrix {
	cols := 1
	if len(t.Shape) > 0 {
		cols = t.Dim(-1)
	}
	return Matrix{Rows: t.Rows(), Cols: cols, Data: t.Data, Down: cols, Right: 1}
}

// Matrices returns how many matrices t holds: the product of all dimensions but
// the last two. A tensor (B, H, T, K) holds B·H matrices (T, K).
func (t *Tensor) Matrices() int { return count(t.Lead(2)) }

// MatrixAt returns the i-th matrix of t, 0 ≤ i < Matrices(): of a tensor
// (B, H, T, K), MatrixAt(b*H+h) is the matrix (T, K) of head h in sequence b.
func (t *Tensor) MatrixAt(i int) Matrix {
	rows, cols := t.Dim(-2), t.Dim(-1)
	size := rows * cols
	return Matrix{Rows: rows, Cols: cols, Data: t.Data[i*size : (i+1)*size : (i+1)*size], Down: cols, Right: 1}
}

// T returns the transpose: element (i, j) of m.T() is element (j, i) of m, in
// the same memory. Only the two distances change places.
func (m Matrix) T() Matrix {
	return Matrix{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Down: m.Right, Right: m.Down}
}

// At returns element (i, j).
func (m Matrix) At(i, j int) float32 { return m.Data[i*m.Down+j*m.Right] }

// Set writes element (i, j).
func (m Matrix) Set(v float32, i, j int) { m.Data[i*m.Down+j*m.Right] = v }

// Block returns the part of m of the given size whose first element is (i, j),
// in the same memory. It panics with a ShapeError if it is not inside m, and as slices
// do if m.Data is too short for it.
func (m Matrix) Block(i, j, rows, cols int) Matrix {
	if min(i, j, rows, cols) < 0 || i+rows > m.Rows || j+cols > m.Cols {
		panic(ShapeError{Op: "Matrix.Block: end of the block", Got: []int{i + rows, j + cols}, Want: []int{m.Rows, m.Cols}})
	}
	block := Matrix{Rows: rows, Cols: cols, Down: m.Down, Right: m.Right}
	if rows > 0 && cols > 0 {
		first := i*m.Down + j*m.Right
		last := first + (rows-1)*m.Down + (cols-1)*m.Right
		block.Data = m.Data[:len(m.Data):len(m.Data)][first : last+1] // what lies behind the slice is not m's
	}
	return block
}

// Copy copies src to dst, element by element. They must not overlap. It panics
// with a ShapeError if their sizes differ.
func Copy(dst, src Matrix) {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(ShapeError{Op: "tensor.Copy: src", Got: []int{src.Rows, src.Cols}, Want: []int{dst.Rows, dst.Cols}})
	}
	if dst.Right != 1 {
		dst, src = dst.T(), src.T()
	}
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	if src.Right == 1 {
		kernel.Copy(dst.Data, dst.Down, src.Data, src.Down, dst.Rows, dst.Cols)
		return
	}
	kernel.Transpose(dst.Data, dst.Down, src.Data, src.Right, src.Cols, src.Rows)
}
