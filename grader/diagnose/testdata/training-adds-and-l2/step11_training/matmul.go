package training

import "github.com/stubformer/stubformer/reference/tensor"

func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	for i := 0; i < dst.Rows; i++ {
		for j := 0; j < dst.Cols; j++ {
			var dot float32
			for p := 0; p < a.Cols; p++ {
				dot += a.At(i, p) * b.At(p, j)
			}
			if accumulate {
				dot += dst.At(i, j)
			}
			dst.Set(dot, i, j)
		}
	}
}

func MatMul(dst, a, b tensor.Matrix, accumulate bool) {
	for i := 0; i < dst.Rows; i++ {
		row := dst.Data[i*dst.Down : i*dst.Down+dst.Cols] // a row at a time
		for p := 0; p < a.Cols; p++ {
			x := a.At(i, p)
			for j := range row {
				row[j] += x * b.At(p, j)
			}
		}
	}
}
