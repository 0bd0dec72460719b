package training

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// BenchmarkMatMul is the ladder from the definition to the kit's own product,
// in GFLOP/s: 2·n³ operations for a square product of size n.
func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		for _, impl := range []struct {
			name    string
			largest int
			product tensor.Product
		}{
			{"naive", 512, Naive},
			{"solution", 2048, MatMul},
			{"kit", 2048, func(dst, a, b tensor.Matrix, accumulate bool) {
				kernel.Gemm(kernel.Matrix(dst), kernel.Matrix(a), kernel.Matrix(b), accumulate)
			}},
		} {
			if n > impl.largest {
				continue
			}
			b.Run(fmt.Sprintf("impl=%s/n=%d", impl.name, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(11, uint64(n)))
				x, y, z := tensor.From(random(rng, n*n), n, n), tensor.From(random(rng, n*n), n, n), tensor.New(n, n)
				b.ReportAllocs()
				for b.Loop() {
					impl.product(z.Matrix(), x.Matrix(), y.Matrix().T(), false)
				}
				b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()),
					"GFLOP/s")
			})
		}
	}
}

// BenchmarkTile measures the micro-kernel alone, on panels that lie in the
// first-level cache.
func BenchmarkTile(b *testing.B) {
	const k = blockK
	rng := rand.New(rand.NewPCG(11, 1))
	best := kernel.Best()
	for _, impl := range []struct {
		name  string
		micro micro
	}{
		{"own", micro{TileRows, TileCols, Tile}},
		{"kit", micro{best.MR, best.NR, best.Tile}},
	} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			rows, cols := impl.micro.rows, impl.micro.cols
			x, y, z := random(rng, k*rows), random(rng, k*cols), make([]float32, rows*cols)
			for b.Loop() {
				impl.micro.tile(k, x, y, z, cols, false)
			}
			b.ReportMetric(2*k*float64(rows*cols)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
