package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	total := 0.0
	for _, p := range params {
		own := 0.0
		for _, g := range p.Grad.Data {
			own += float64(g) * float64(g)
		}
		total += own
		if own = math.Sqrt(own); own > maxNorm {
			for j := range p.Grad.Data {
				p.Grad.Data[j] *= float32(maxNorm / (own + 1e-6))
			}
		}
	}
	return math.Sqrt(total)
}
