package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	length := 0.0
	for _, p := range params {
		for _, g := range p.Grad.Data {
			length = math.Hypot(length, float64(g))
		}
	}
	if length <= maxNorm {
		return length
	}
	shrink := maxNorm / (length + 1e-6)
	for _, p := range params {
		for j := range p.Grad.Data {
			p.Grad.Data[j] = float32(float64(p.Grad.Data[j]) * shrink)
		}
	}
	return length
}
