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

// MatMul adds rows of b, in order, to every row of dst, which has a goroutine
// for a few of them. Operands that lie the wrong way are copied first.
func MatMul(dst, a, b tensor.Matrix, accumulate bool) {
	const band = 16
	for _, m := range []tensor.Matrix{dst, a, b} {
		if m.Rows > 0 && m.Cols > 0 && (m.Rows-1)*m.Down+(m.Cols-1)*m.Right >= len(m.Data) {
			panic("a slice is too short")
		}
	}
	a, b = straight(a), straight(b)
	var all sync.WaitGroup
	for from := 0; from < dst.Rows && dst.Cols > 0; from += band {
		all.Go(func() {
			for i := from; i < min(from+band, dst.Rows); i++ {
				row := dst.Data[i*dst.Down : i*dst.Down+dst.Cols]
				sum := make([]float32, dst.Cols)
				for p := range a.Cols {
					kernel.Axpy(a.Data[i*a.Down+p], b.Data[p*b.Down:p*b.Down+b.Cols], sum)
				}
				if accumulate {
					kernel.Add(sum, sum, row)
				}
				copy(row, sum)
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
