//edition:alone

package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stubformer/stubformer/reference/tensor"
	attention "github.com/stubformer/stubformer/steps/step08_attention"
	flash "github.com/stubformer/stubformer/steps/step16_flash"
)

func init() {
	asks("attention", 2, func(_ *worker, q []string) (float64, error) { return attend(q[0], span(q[1])) })
}

// attend goes forward and backward through causal attention of 8 heads of 64 numbers, for
// 2,048 tokens: with all their scores (step 08) or in tiles (step 16).
func attend(form string, d time.Duration) (float64, error) {
	const heads, tokens, width = 8, 2048, 64
	var in [4]*tensor.Tensor
	rng := rand.New(rand.NewPCG(16, 1))
	for i := range in {
		in[i] = tensor.New(1, heads, tokens, width)
		for at := range in[i].Data {
			in[i].Data[at] = float32(rng.NormFloat64())
		}
	}
	switch form {
	case "scores":
		layer, mask := new(attention.Attention), attention.Causal(tokens)
		return measure(d, func() { layer.Forward(in[0], in[1], in[2], mask); layer.Backward(in[3]) }), nil
	case "tiles":
		layer, mask := new(flash.Attention), flash.Causal(tokens)
		return measure(d, func() { layer.Forward(in[0], in[1], in[2], mask); layer.Backward(in[3]) }), nil
	}
	return 0, fmt.Errorf("attention is by scores or by tiles, and not by %q", form)
}
