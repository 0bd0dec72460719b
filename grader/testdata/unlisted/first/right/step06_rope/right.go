//go:build unlisted

package rope

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// complex-numbers: pairs are complex numbers that are multiplied by e^(iφ), or by its conjugate
//
// Why: Right: a product of complex numbers is a rotation.
func rotate(y, x, cos, sin []float32) {
	for k := range cos {
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

// frequencies-by-exponential: the frequencies are computed once, by the exponential of a logarithm
//
// Why: Right: Θ^(−2k/K) = e^(−2k/K·log Θ); all in float64.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	var cos, sin []float32
	for p := range maxSeqLen {
		for k := range dK / 2 {
			s, c := math.Sincos(float64(p) * math.Exp(-2*float64(k)/float64(dK)*math.Log(theta)))
			cos, sin = append(cos, float32(c)), append(sin, float32(s))
		}
	}
	return &RoPE{Cos: tensor.From(cos, maxSeqLen, dK/2), Sin: tensor.From(sin, maxSeqLen, dK/2)}
}

// sequences-in-parallel: every sequence is turned by a goroutine of its own, by way of a copy
//
// Why: Right: the rows are copied before they are written, so dst may be x.
func (r *RoPE) turnRows(op string, dst, x *tensor.Tensor, positions [][]int,
	turn func(dst, src, cos, sin []float32)) *tensor.Tensor {

	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)
	src := x.Clone()
	dst = tensor.Reuse(dst, x.Shape...)
	var all sync.WaitGroup
	for b := range batch {
		all.Go(func() {
			row := positions[b%len(positions)]
			rows := x.Rows() / batch
			for i := range rows {
				p := row[i%seq]
				turn(dst.Row(b*rows+i), src.Row(b*rows+i), r.Cos.Row(p), r.Sin.Row(p))
			}
		})
	}
	all.Wait()
	return dst
}
