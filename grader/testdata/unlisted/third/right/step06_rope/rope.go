//go:build unlisted

package rope

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// complex-numbers: pairs are complex numbers that are multiplied by cos + i·sin, or cos − i·sin
//
// Why: a rotation of the plane is a product with a complex number of length 1, and the other way with its conjugate. The
// pair is read before it is written.
func rotate(y, x, cos, sin []float32) {
	for k := len(cos) - 1; k >= 0; k-- {
		turned := complex(float64(x[2*k]), float64(x[2*k+1])) * complex(float64(cos[k]), float64(sin[k]))
		y[2*k], y[2*k+1] = float32(real(turned)), float32(imag(turned))
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	for k := len(cos) - 1; k >= 0; k-- {
		turned := complex(float64(dy[2*k]), float64(dy[2*k+1])) * complex(float64(cos[k]), -float64(sin[k]))
		dx[2*k], dx[2*k+1] = float32(real(turned)), float32(imag(turned))
	}
}

// tables-and-rows-pair-by-pair: tables by e to the logarithm of Θ, and rows from the last to the first through a copy of x
//
// Why: Θ^(−2k/K) = e^(−2k/K·ln Θ), in float64 to the last digits of a float32; a copy makes it all one whether dst is x.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK < 1 || dK&1 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		speed := math.Exp(-2 * float64(k) / float64(dK) * math.Log(theta))
		for p := range maxSeqLen {
			sin, cos := math.Sincos(speed * float64(p))
			r.Sin.Set(float32(sin), p, k)
			r.Cos.Set(float32(cos), p, k)
		}
	}
	return r
}

func (r *RoPE) turnRows(op string, dst, x *tensor.Tensor, positions [][]int,
	turn func(dst, src, cos, sin []float32)) *tensor.Tensor {

	half := r.Cos.Dim(1)
	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*half)
	batch, seq := x.Shape[0], x.Shape[len(x.Shape)-2]
	r.checkPositions(positions, batch, seq)
	source := x.Clone()
	dst = tensor.Reuse(dst, source.Shape...)
	for n := source.Rows() - 1; n >= 0; n-- {
		own := positions[0]
		if len(positions) > 1 {
			own = positions[n*batch/source.Rows()]
		}
		p := own[n%seq]
		turn(dst.Row(n), source.Row(n), r.Cos.Row(p), r.Sin.Row(p))
	}
	return dst
}
