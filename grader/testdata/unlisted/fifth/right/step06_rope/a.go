//go:build unlisted

package rope

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// complex-numbers: a pair is a complex number, turned by a product, and back by the conjugate
//
// Why: (a + ib)(cos + i sin) is the formula of the stub; the pair is read before it is written.
func rotate(y, x, cos, sin []float32) {
	for k := len(cos) - 1; k >= 0; k-- {
		z := complex(float64(x[2*k]), float64(x[2*k+1])) * complex(float64(cos[k]), float64(sin[k]))
		y[2*k], y[2*k+1] = float32(real(z)), float32(imag(z))
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	for k := range cos {
		z := complex(float64(dy[2*k]), float64(dy[2*k+1])) * complex(float64(cos[k]), -float64(sin[k]))
		dx[2*k], dx[2*k+1] = float32(real(z)), float32(imag(z))
	}
}

// opposite-tables: the tables are filled column by column, and Backward is Forward with the sines negated in a copy
//
// Why: cos(−φ) = cos φ and sin(−φ) = −sin φ, so the copy turns by the opposite angles; the RoPE itself stays as it is.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	half := dK / 2
	cos, sin := tensor.New(maxSeqLen, half), tensor.New(maxSeqLen, half)
	for k := range half {
		perToken := 1 / math.Pow(theta, float64(k)/float64(half))
		for p := range maxSeqLen {
			s, c := math.Sincos(float64(p) * perToken)
			cos.Data[p*half+k], sin.Data[p*half+k] = float32(c), float32(s)
		}
	}
	return &RoPE{Cos: cos, Sin: sin}
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	opposite := r.Sin.Clone()
	for i, s := range opposite.Data {
		opposite.Data[i] = -s
	}
	return (&RoPE{Cos: r.Cos, Sin: opposite}).turnRows("RoPE.Backward: dy", dst, dy, positions, rotate)
}
