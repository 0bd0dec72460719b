// Package layers holds the benchmarks of the steps: every layer's forward and
// backward pass, and a whole training step. Whose steps they are an overlay
// decides; without one they are the student's own:
//
//	go run ./cmd/grade bench overlay overlay.json
//	go test -run none -bench . -overlay overlay.json ./bench/layers
//
// impl=steps is the matrix product of step 11 under the whole model, impl=kit
// that of reference/kernel, impl=naive the triple loop.
package layers

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step09_block"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// The sizes of the small configuration: B batch, T time, D d_model, H heads,
// F d_ff, V vocabulary.
const (
	B, T, D, H, F, V = 12, 64, 128, 4, 344, 65
	theta            = 10_000
)

// products are the matrix products under the layers.
var products = []struct {
	name    string
	product tensor.Product
}{{"naive", training.Naive}, {"steps", training.MatMul}, {"kit", nil}}

func BenchmarkLinear(b *testing.B) {
	layer, x, dy := linear.New(param(F, D)), random(B, T, D), random(B, T, F)
	layers(b, func() { layer.Forward(x) }, func() { layer.Backward(dy) })
}

func BenchmarkEmbedding(b *testing.B) {
	layer, dy, ids := embedding.New(param(V, D)), random(B, T, D), tokens(V)
	forward := func() {
		if _, err := layer.Forward(ids); err != nil {
			b.Fatal(err)
		}
	}
	layers(b, forward, func() { layer.Backward(dy) })
}

func BenchmarkRMSNorm(b *testing.B) {
	layer, x, dy := rmsnorm.New(param(D)), random(B, T, D), random(B, T, D)
	layers(b, func() { layer.Forward(x) }, func() { layer.Backward(dy) })
}

func BenchmarkSwiGLU(b *testing.B) {
	layer, x, dy := swiglu.New(param(F, D), param(D, F), param(F, D)), random(B, T, D), random(B, T, D)
	layers(b, func() { layer.Forward(x) }, func() { layer.Backward(dy) })
}

func BenchmarkRoPE(b *testing.B) {
	layer, x, dx := rope.New(theta, D/H, T), random(B, H, T, D/H), random(B, H, T, D/H)
	p := positions()
	layers(b, func() { layer.Forward(dx, x, p) }, func() { layer.Backward(dx, x, p) })
}

func BenchmarkSoftmax(b *testing.B) {
	x, y, dx := random(B, H, T, T), random(B, H, T, T), random(B, H, T, T)
	layers(b, func() { softmax.Softmax(y, x, -1) }, func() { softmax.Backward(dx, y, x, -1) })
}

func BenchmarkCrossEntropy(b *testing.B) {
	var layer softmax.CrossEntropy
	logits, targets := random(B, T, V), tokens(V)
	forward := func() {
		if _, err := layer.Forward(logits, targets); err != nil {
			b.Fatal(err)
		}
	}
	layers(b, forward, func() { layer.Backward() })
}

func BenchmarkMultiHead(b *testing.B) {
	layer := attention.NewMultiHead(param(3*D, D), param(D, D), H, rope.New(theta, D/H, T))
	x, dy, p := random(B, T, D), random(B, T, D), positions()
	layers(b, func() { layer.Forward(x, p) }, func() { layer.Backward(dy) })
}

func BenchmarkBlock(b *testing.B) {
	attn := attention.NewMultiHead(param(3*D, D), param(D, D), H, rope.New(theta, D/H, T))
	layer := block.New(param(D), attn, param(D), swiglu.New(param(F, D), param(D, F), param(F, D)))
	x, dy, p := random(B, T, D), random(B, T, D), positions()
	layers(b, func() { layer.Forward(x, p) }, func() { layer.Backward(dy) })
}

// layers measures a forward and a backward pass on every product.
func layers(b *testing.B, forward, backward func()) {
	for _, p := range products {
		restore := tensor.UseProduct(p.product)
		run(b, fmt.Sprintf("impl=%s/forward", p.name), forward)
		run(b, fmt.Sprintf("impl=%s/backward", p.name), backward)
		restore()
	}
}

// run measures one thing that takes B·T tokens, or skips it if the step is not
// implemented.
func run(b *testing.B, name string, do func()) {
	b.Run(name, func(b *testing.B) {
		defer func() {
			if p := recover(); p != nil {
				b.Skip(p)
			}
		}()
		do()
		b.ReportAllocs()
		for b.Loop() {
			do()
		}
		b.ReportMetric(float64(b.N)*B*T/b.Elapsed().Seconds(), "tokens/s")
	})
}

func param(shape ...int) *tensor.Param { return tensor.NewParam("", random(shape...)) }

func random(shape ...int) *tensor.Tensor {
	rng, t := rand.New(rand.NewPCG(1, 2)), tensor.New(shape...)
	for i := range t.Data {
		t.Data[i] = float32(rng.NormFloat64())
	}
	return t
}

// tokens returns ids (B, T) below v.
func tokens(v int) [][]int {
	rng, ids := rand.New(rand.NewPCG(3, 4)), make([][]int, B)
	for i := range ids {
		for range T {
			ids[i] = append(ids[i], rng.IntN(v))
		}
	}
	return ids
}

// positions returns 0, 1, …, T−1 for the whole batch.
func positions() [][]int {
	row := make([]int, T)
	for i := range row {
		row[i] = i
	}
	return [][]int{row}
}
