package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
)

// The causal scores of a batch of 12·64 tokens with 4 heads.
func BenchmarkSoftmax(b *testing.B) {
	x := normal(12, 4, 64, 64)
	for i := range x.Data {
		if j := i % 64; j > i/64%64 { // a later token
			x.Data[i] = float32(math.Inf(-1))
		}
	}
	y := Softmax(nil, x, -1)
	bench(b, func() { y = Softmax(y, x, -1) })
}

func BenchmarkSoftmaxBackward(b *testing.B) {
	y, dy := Softmax(nil, normal(12, 4, 64, 64), -1), normal(12, 4, 64, 64)
	dx := tensor.New(y.Shape...)
	bench(b, func() { dx = Backward(dx, y, dy, -1) })
}

// The loss of a batch of 12·64 tokens with V = 91.
func BenchmarkCrossEntropy(b *testing.B) {
	logits, targets := normal(12, 64, 91), make([][]int, 12)
	for i := range targets {
		targets[i] = make([]int, 64)
	}
	var c CrossEntropy
	forward := func() { _, _ = c.Forward(logits, targets) }
	forward()
	b.Run("forward", func(b *testing.B) { bench(b, forward) })
	b.Run("backward", func(b *testing.B) { bench(b, func() { c.Backward() }) })
}

func normal(shape ...int) *tensor.Tensor {
	rng := rand.New(rand.NewPCG(7, 1))
	t := tensor.New(shape...)
	for i := range t.Data {
		t.Data[i] = float32(rng.NormFloat64())
	}
	return t
}

func bench(b *testing.B, run func()) {
	run()
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.N)*12*64/b.Elapsed().Seconds(), "tokens/s")
}
