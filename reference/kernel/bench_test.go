package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// naive is the triple loop of the textbook, the first rung of the ladder.
func naive(m, n, k int, a, b, c []float32) {
	for i := range m {
		for j := range n {
			var sum float32
			for p := range k {
				sum += a[i*k+p] * b[p*n+j]
			}
			c[i*n+j] = sum
		}
	}
}

// stored is a matrix whose rows lie one after the other, turned its transpose.
func stored(x []float32, rows, cols int) Matrix { return matrix{rows, cols, cols, x}.view(false) }
func turned(x []float32, rows, cols int) Matrix { return matrix{rows, cols, cols, x}.view(true) }

// benchGemm reports the rate of one product: 2·m·n·k operations for each iteration.
func benchGemm(b *testing.B, m, n, k int, gemm func(x, y, z []float32)) {
	rng := rand.New(rand.NewPCG(9, 9))
	x, y, z := randomVector(rng, m*k), randomVector(rng, k*n), make([]float32, m*n)
	gemm(x, y, z)
	b.ReportAllocs()
	for b.Loop() {
		gemm(x, y, z)
	}
	b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		if n <= 512 {
			b.Run(fmt.Sprintf("impl=naive/n=%d", n), func(b *testing.B) {
				benchGemm(b, n, n, n, func(x, y, z []float32) { naive(n, n, n, x, y, z) })
			})
		}
		for _, s := range supported() {
			b.Run(fmt.Sprintf("impl=%s/n=%d", s, n), func(b *testing.B) {
				benchGemm(b, n, n, n, func(x, y, z []float32) {
					gemm(s, false, stored(z, n, n), stored(x, n, n), stored(y, n, n), false)
				})
			})
		}
		b.Run(fmt.Sprintf("impl=shared/n=%d", n), func(b *testing.B) {
			benchGemm(b, n, n, n, func(x, y, z []float32) {
				Gemm(stored(z, n, n), stored(x, n, n), stored(y, n, n), false)
			})
		})
	}
}

// BenchmarkTraining is y = x·Wᵀ (forward), dx = dy·W and dW += dyᵀ·x at the shapes of two models.
func BenchmarkTraining(b *testing.B) {
	for _, shape := range [][3]int{ // rows, outputs, inputs
		{768, 384, 128}, {768, 128, 128}, {768, 344, 128}, {768, 128, 344}, {768, 65, 128},
		{2048, 1536, 512}, {2048, 512, 512}, {2048, 1344, 512}, {2048, 512, 1344}, {2048, 10000, 512},
		{1, 384, 128}, {1, 1344, 512},
	} {
		m, out, in := shape[0], shape[1], shape[2]
		for _, s := range supported() {
			name := func(form string) string { return fmt.Sprintf("impl=%s/n=%dx%dx%d/%s", s, m, out, in, form) }
			b.Run(name("forward"), func(b *testing.B) {
				benchGemm(b, m, out, in, func(x, w, y []float32) {
					gemm(s, false, stored(y, m, out), stored(x, m, in), turned(w, out, in), false)
				})
			})
			b.Run(name("dx"), func(b *testing.B) {
				benchGemm(b, m, in, out, func(dy, w, dx []float32) {
					gemm(s, false, stored(dx, m, in), stored(dy, m, out), stored(w, out, in), false)
				})
			})
			b.Run(name("dW"), func(b *testing.B) {
				benchGemm(b, out, in, m, func(dy, x, dW []float32) {
					gemm(s, false, stored(dW, out, in), turned(dy, m, out), stored(x, m, in), true)
				})
			})
		}
	}
}

// BenchmarkFewRows is a few tokens times the weights of a layer. They are those of 64 layers in turn, so that they come from
// memory, as where a model writes; it reports how many bytes of them are read in a second.
func BenchmarkFewRows(b *testing.B) {
	const layers, size = 64, 512
	rng := rand.New(rand.NewPCG(11, 11))
	weights := randomVector(rng, layers*size*size)
	for _, m := range []int{1, 2, 4, 8, 12, 16, 24} {
		for _, s := range supported() {
			b.Run(fmt.Sprintf("impl=%s/rows=%d", s, m), func(b *testing.B) {
				x, y := randomVector(rng, m*size), make([]float32, m*size)
				b.SetBytes(4 * size * size)
				layer := 0
				for b.Loop() {
					w := weights[layer*size*size:][:size*size]
					gemm(s, false, stored(y, m, size), stored(x, m, size), turned(w, size, size), false)
					layer = (layer + 1) % layers
				}
			})
		}
	}
}

func BenchmarkVector(b *testing.B) {
	for _, n := range []int{128, 4096, 1 << 20} {
		rng := rand.New(rand.NewPCG(10, 10))
		x, y, z := randomVector(rng, n), randomVector(rng, n), make([]float32, n)
		for _, s := range supported() {
			for _, c := range []struct {
				name string
				call func()
			}{
				{"exp", func() { exp(s, z, x) }},
				{"sigmoid", func() { sigmoid(s, z, x) }},
				{"dot", func() { dot(s, x, y) }},
				{"sum", func() { sum(s, x) }},
				{"sumsquares", func() { sumSquares(s, x) }},
				{"max", func() { maximum(s, x) }},
				{"axpy", func() { axpy(s, 0, x, y) }},
				{"axpby", func() { axpby(s, 0, x, 1, y) }},
				{"scaleto", func() { scaleTo(s, z, 1, x) }},
				{"addconst", func() { addConst(s, z, 1, x) }},
				{"sqrt", func() { sqrt(s, z, x) }},
				{"add", func() { add(s, z, x, y) }},
				{"mul", func() { mul(s, z, x, y) }},
				{"div", func() { div(s, z, x, y) }},
				{"muladd", func() { mulAdd(s, z, x, y) }},
			} {
				b.Run(fmt.Sprintf("op=%s/impl=%s/n=%d", c.name, s, n), func(b *testing.B) {
					for b.Loop() {
						c.call()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
				})
			}
		}
	}
}
