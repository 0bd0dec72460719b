package embedding

import (
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
)

// A batch of 12·64 tokens with V = 91 and D = 128.
func BenchmarkForward(b *testing.B) {
	bench(b, func(e *Embedding, ids [][]int, _ *tensor.Tensor) { _, _ = e.Forward(ids) })
}

func BenchmarkBackward(b *testing.B) {
	bench(b, func(e *Embedding, _ [][]int, dy *tensor.Tensor) { e.Backward(dy) })
}

func bench(b *testing.B, run func(e *Embedding, ids [][]int, dy *tensor.Tensor)) {
	rng := rand.New(rand.NewPCG(3, 1))
	ids := make([][]int, 12)
	for i := range ids {
		ids[i] = make([]int, 64)
		for t := range ids[i] {
			ids[i][t] = rng.IntN(91)
		}
	}
	e, dy := New(tensor.NewParam("w", tensor.New(91, 128))), tensor.New(12, 64, 128)
	if _, err := e.Forward(ids); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		run(e, ids, dy)
	}
	b.ReportMetric(float64(b.N)*12*64/b.Elapsed().Seconds(), "tokens/s")
}
