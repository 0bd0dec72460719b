package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// ClipGradNorm adds one number after another to the length, from the last.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	norm := 0.0
	for i := len(params) - 1; i >= 0; i-- {
		for _, g := range params[i].Grad.Data {
			norm = math.Hypot(norm, float64(g))
		}
	}
	if norm > maxNorm {
		for _, p := range params {
			for j, g := range p.Grad.Data {
				p.Grad.Data[j] = float32(float64(g) / (norm + 1e-6) * maxNorm)
			}
		}
	}
	return norm
}
