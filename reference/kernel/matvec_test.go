package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatVec(t *testing.T) {
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(14, uint64(s)))
		for rows := range 10 {
			for _, cols := range []int{0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 200} {
				a, x := newMatrix(rng, rows, cols, rng.IntN(3)), newMatrix(rng, 1, cols, 0)
				for _, accumulate := range []bool{false, true} {
					y := newMatrix(rng, 1, rows, 0)
					want, scale := product64(x, a, y, false, true, cols, accumulate)
					if !accumulate {
						for i := range y.x {
							y.x[i] = float32(math.NaN())
						}
					}
					matVec(s, y.x, a.x, a.ld, x.x, accumulate)
					requireProduct(t, y, cols, want, scale)
				}
			}
		}
	}
}

func TestCopyAndTranspose(t *testing.T) {
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(15, uint64(s)))
		for _, rows := range []int{1, 3, 4, 5, 6, 7, 8, 9, 14, 16, 17, 31} {
			for _, cols := range []int{1, 3, 4, 6, 7, 8, 9, 11, 14, 15, 16, 17, 24, 31, 32, 33, 70} {
				src := newMatrix(rng, rows, cols, rng.IntN(3))
				same, turned := newMatrix(rng, rows, cols, 2), newMatrix(rng, cols, rows, 2)
				copyRows(s, same.x, same.ld, src.x, src.ld, rows, cols)
				transpose(s, turned.x, turned.ld, src.x, src.ld, rows, cols)
				for i := range rows {
					for j := range cols {
						require.Equal(t, src.at(i, j, false), same.at(i, j, false), "%s copy %d×%d at %d, %d", s, rows, cols, i, j)
						require.Equal(t, src.at(i, j, false), turned.at(j, i, false), "%s transpose %d×%d at %d, %d", s, rows, cols, i, j)
					}
				}
				for _, m := range []matrix{same, turned} { // what lies between the rows is left alone
					for i := range m.rows {
						require.True(t, math.IsNaN(float64(m.x[i*m.ld+m.cols])), "%s: %d×%d", s, rows, cols)
					}
				}
			}
		}
	}
}
