package swiglu

import (
	"math/rand/v2"
	"testing"
)

// The activation of a batch of 12·64 tokens with F = 320. The whole network
// calls step 02 and cannot be timed here.
func BenchmarkSiLU(b *testing.B) {
	bench(b, func(dst, x, _ []float32) { SiLU(dst, x) })
}

func BenchmarkSiLUBackward(b *testing.B) { bench(b, SiLUBackward) }

func bench(b *testing.B, run func(dst, x, dy []float32)) {
	const n = 12 * 64 * 320
	rng := rand.New(rand.NewPCG(5, 1))
	dst, x, dy := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], dy[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	b.ReportAllocs()
	for b.Loop() {
		run(dst, x, dy)
	}
	b.ReportMetric(float64(b.N)*12*64/b.Elapsed().Seconds(), "tokens/s")
}
