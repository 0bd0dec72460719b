// Package initializers draws two normal numbers at a time by the polar method,
// from the last to the first, and turns a name into numbers by itself.
package initializers

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

func Rand(seed uint64, name string) *rand.Rand {
	a, b := seed^0x9e3779b97f4a7c15, ^seed
	for _, c := range []byte(name) {
		a = (a ^ uint64(c)) * 0xff51afd7ed558ccd
		b = (b + uint64(c) + a>>29) * 0xc4ceb9fe1a85ec53
	}
	return rand.New(rand.NewPCG(a, b))
}

func TruncatedNormal(dst []float32, sigma, cut float64, rng *rand.Rand) {
	if cut <= 0 || math.IsNaN(cut) {
		panic("cut")
	}
	for left := len(dst); left > 0; {
		x, y := pair(rng)
		for _, z := range [2]float64{x, y} {
			if left > 0 && z >= -cut && z <= cut {
				left--
				dst[left] = float32(z * sigma)
			}
		}
	}
}

// pair returns two independent draws from N(0, 1).
func pair(rng *rand.Rand) (x, y float64) {
	for {
		u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
		if s := u*u + v*v; s > 0 && s < 1 {
			f := math.Sqrt(-2 * math.Log(s) / s)
			return u * f, v * f
		}
	}
}

func LinearWeight(dOut, dIn int, rng *rand.Rand) *tensor.Tensor {
	data := make([]float32, dOut*dIn)
	TruncatedNormal(data, math.Pow(float64(dIn+dOut)/2, -0.5), 3, rng)
	return tensor.From(data, dOut, dIn)
}

func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	t := tensor.New(vocab, dModel)
	for i := range vocab {
		TruncatedNormal(t.Row(i), 1, 3, rng)
	}
	return t
}

func Gain(d int) *tensor.Tensor {
	t := tensor.New(d)
	for i := range t.Data {
		t.Data[i]++
	}
	return t
}
