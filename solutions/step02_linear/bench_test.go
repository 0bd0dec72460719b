package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
)

// The products of a block with D = 128 and F = 320 on a batch of 12·64 tokens:
// Q, K and V together, the output projection, into the feed-forward network and
// out of it.
func BenchmarkForward(b *testing.B) {
	each(b, 1, func(l *Linear, x, _ *tensor.Tensor) { l.Forward(x) })
}

func BenchmarkBackward(b *testing.B) {
	each(b, 2, func(l *Linear, _, dy *tensor.Tensor) { l.Backward(dy) })
}

// each times run, which makes the given number of products, for every size.
func each(b *testing.B, products int, run func(l *Linear, x, dy *tensor.Tensor)) {
	const tokens = 12 * 64
	rng := rand.New(rand.NewPCG(2, 1))
	normal := func(shape ...int) *tensor.Tensor {
		t := tensor.New(shape...)
		for i := range t.Data {
			t.Data[i] = float32(rng.NormFloat64())
		}
		return t
	}
	for _, size := range []struct{ in, out int }{{128, 384}, {128, 128}, {128, 320}, {320, 128}} {
		b.Run(fmt.Sprintf("in=%d/out=%d", size.in, size.out), func(b *testing.B) {
			l := New(tensor.NewParam("w", normal(size.out, size.in)))
			x, dy := normal(12, 64, size.in), normal(12, 64, size.out)
			l.Forward(x)
			l.Backward(dy)
			b.ReportAllocs()
			for b.Loop() {
				run(l, x, dy)
			}
			perSecond := float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(perSecond*float64(2*products*tokens*size.in*size.out)/1e9, "GFLOP/s")
			b.ReportMetric(perSecond*tokens, "tokens/s")
		})
	}
}
