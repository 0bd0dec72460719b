package training

import (
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Naive sums in float64, from the end.
func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	for j := range dst.Cols {
		for i := range dst.Rows {
			sum := 0.0
			if accumulate {
				sum = float64(dst.At(i, j))
			}
			for p := a.Cols - 1; p >= 0; p-- {
				sum += float64(a.At(i, p)) * float64(b.At(p, j))
			}
			dst.Set(float32(sum), i, j)
		}
	}
}

// MatMul multiplies every row of a with some columns of b at a time, which lie in one
// piece and stay in the first-level cache until all rows have seen them. Some of the rows
// have a goroutine. Operands that lie the wrong way are copied first.
func MatMul(dst, a, b tensor.Matrix, accumulate bool) {
	const band, cached = 64, 4096
	for _, m := range []tensor.Matrix{dst, a, b} {
		if m.Rows > 0 && m.Cols > 0 && (m.Rows-1)*m.Down+(m.Cols-1)*m.Right >= len(m.Data) {
			panic("a slice is too short")
		}
	}
	a, columns := straight(a), straight(b.T())
	width := max(1, cached/max(1, a.Cols))
	var all sync.WaitGroup
	for from := 0; from < dst.Rows && dst.Cols > 0; from += band {
		all.Go(func() {
			for j := 0; j < dst.Cols; j += width {
				some := columns.Block(j, 0, min(width, dst.Cols-j), a.Cols)
				for i := from; i < min(from+band, dst.Rows); i++ {
					row := dst.Data[i*dst.Down+j:][:some.Rows]
					if a.Cols > 0 {
						kernel.MatVec(row, some.Data, some.Down, a.Data[i*a.Down:][:a.Cols], accumulate)
					} else if !accumulate {
						clear(row)
					}
				}
			}
		})
	}
	all.Wait()
}

// straight returns m itself if its rows lie in one piece, otherwise a copy.
func straight(m tensor.Matrix) tensor.Matrix {
	if m.Right == 1 || m.Rows == 0 || m.Cols == 0 {
		return m
	}
	copied := tensor.New(m.Rows, m.Cols).Matrix()
	tensor.Copy(copied, m)
	return copied
}
