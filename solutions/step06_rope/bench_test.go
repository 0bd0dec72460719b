package rope

import (
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
)

// The queries of a batch of 12·64 tokens with 4 heads of K = 32.
func BenchmarkForward(b *testing.B) {
	bench(b, func(r *RoPE, x *tensor.Tensor, positions [][]int) { r.Forward(x, x, positions) })
}

func BenchmarkBackward(b *testing.B) {
	bench(b, func(r *RoPE, x *tensor.Tensor, positions [][]int) { r.Backward(x, x, positions) })
}

func bench(b *testing.B, run func(r *RoPE, x *tensor.Tensor, positions [][]int)) {
	r, x, positions := New(10000, 32, 64), tensor.New(12, 4, 64, 32), [][]int{make([]int, 64)}
	x.Fill(1)
	for t := range positions[0] {
		positions[0][t] = t
	}
	b.ReportAllocs()
	for b.Loop() {
		run(r, x, positions)
	}
	b.ReportMetric(float64(b.N)*12*64/b.Elapsed().Seconds(), "tokens/s")
}
