package formats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/solutions/step02_linear"
	"github.com/stubformer/stubformer/solutions/step15_formats"
)

// BenchmarkToken is one token through weights of d_model 512 that fit no cache: 192
// layers of 512×512, 201 MB in float32 and 53 MB in int8. The ratio of the two is what
// int8 is worth to a model that writes.
func BenchmarkToken(b *testing.B) {
	const d, layers = 512, 192
	rng := rand.New(rand.NewPCG(15, 5))
	draw := func(shape ...int) *tensor.Tensor {
		t := tensor.New(shape...)
		for i := range t.Data {
			t.Data[i] = float32(rng.NormFloat64())
		}
		return t
	}
	x := draw(1, 1, d)
	for _, impl := range []string{"float32", "int8"} {
		var forward []func(*tensor.Tensor) *tensor.Tensor
		for range layers {
			w := tensor.NewParam("w", draw(d, d))
			if impl == "int8" {
				forward = append(forward, formats.New(w).Forward)
			} else {
				forward = append(forward, linear.New(w).Forward)
			}
			forward[len(forward)-1](x)
		}
		b.Run(fmt.Sprintf("impl=%s/n=%d", impl, layers*d*d), func(b *testing.B) {
			for b.Loop() {
				for _, f := range forward {
					f(x)
				}
			}
		})
	}
}
