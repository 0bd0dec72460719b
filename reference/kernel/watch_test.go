package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every function that computes a product of matrices is seen, once for each product.
func TestWatchProducts(t *testing.T) {
	a, b, c := zeros(3, 5), zeros(5, 7), zeros(3, 7)
	for name, multiply := range map[string]func(c, a, b Matrix, accumulate bool){
		"Gemm": Gemm, "GemmSerial": GemmSerial, "GemmBF16": GemmBF16, "Micro.Gemm": Best().Gemm,
	} {
		var seen [][3]int
		stop := WatchProducts(func(rows, cols, depth int) { seen = append(seen, [3]int{rows, cols, depth}) })
		multiply(c, a, b, false)
		stop()
		multiply(c, a, b, true)
		require.Equal(t, [][3]int{{3, 7, 5}}, seen, name)
	}
	defer WatchProducts(func(int, int, int) { panic("not here") })()
	MatVec(make([]float32, 3), make([]float32, 15), 5, make([]float32, 5), false)
	require.PanicsWithValue(t, "not here", func() { Gemm(zeros(1, 5), zeros(1, 5), zeros(5, 5), false) })
}

// zeros returns a matrix of zeros.
func zeros(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float32, rows*cols), Down: cols, Right: 1}
}
