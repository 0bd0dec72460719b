package training

func element(transposed bool, x []float32, ld, row, col int) float32 {
	if transposed {
		row, col = col, row
	}
	return x[row*ld+col]
}

func Naive(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	for i := 0; i < m; i++ {
		for j := 0; j < n; j++ {
			var dot float32
			for p := 0; p < k; p++ {
				dot += element(transA, a, lda, i, p) * element(transB, b, ldb, p, j)
			}
			if !accumulate {
				c[i*ldc+j] = 0
			}
			c[i*ldc+j] += dot
		}
	}
}

func MatMul(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	line := make([]float32, n) // a row of op(B) at a time, and one of C
	for i := 0; i < m; i++ {
		row := c[i*ldc : i*ldc+n]
		if !accumulate {
			clear(row)
		}
		for p := 0; p < k; p++ {
			if transB {
				for j := range line {
					line[j] = b[j*ldb+p]
				}
			} else {
				copy(line, b[p*ldb:])
			}
			x := element(transA, a, lda, i, p)
			for j, y := range line {
				row[j] += x * y
			}
		}
	}
}
