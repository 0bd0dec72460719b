package rmsnorm

import (
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
)

// A batch of 12·64 tokens with D = 128.
func BenchmarkForward(b *testing.B) {
	bench(b, func(l *RMSNorm, x, _ *tensor.Tensor) { l.Forward(x) })
}

func BenchmarkBackward(b *testing.B) {
	bench(b, func(l *RMSNorm, _, dy *tensor.Tensor) { l.Backward(dy) })
}

func bench(b *testing.B, run func(l *RMSNorm, x, dy *tensor.Tensor)) {
	rng := rand.New(rand.NewPCG(4, 1))
	l := New(tensor.NewParam("g", tensor.New(128)))
	x, dy := tensor.New(12, 64, 128), tensor.New(12, 64, 128)
	for i := range x.Data {
		x.Data[i], dy.Data[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	l.Forward(x)
	l.Backward(dy)
	b.ReportAllocs()
	for b.Loop() {
		run(l, x, dy)
	}
	b.ReportMetric(float64(b.N)*12*64/b.Elapsed().Seconds(), "tokens/s")
}
