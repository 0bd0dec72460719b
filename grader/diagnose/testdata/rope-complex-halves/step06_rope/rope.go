package rope

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/stubformer/stubformer/reference/tensor"
)

type RoPE struct{ Cos, Sin *tensor.Tensor }

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK < 1 || dK%2 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK", Got: []int{dK}})
	}
	r := &RoPE{tensor.New(maxSeqLen, dK/2), tensor.New(maxSeqLen, dK/2)}
	for p := range maxSeqLen {
		for k := range dK / 2 {
			z := cmplx.Exp(complex(0, float64(p)/math.Pow(theta, float64(k)/float64(dK/2))))
			r.Cos.Set(float32(real(z)), p, k)
			r.Sin.Set(float32(imag(z)), p, k)
		}
	}
	return r
}

func (r *RoPE) apply(dst, x *tensor.Tensor, positions [][]int, conjugate bool) *tensor.Tensor {
	half := r.Cos.Dim(1)
	tensor.CheckShape("RoPE: x", x, tensor.Lead, 2*half)
	dst = tensor.Reuse(dst, x.Shape...)
	batch, seq := x.Shape[0], x.Shape[len(x.Shape)-2]
	for row := range x.Rows() {
		at := positions[0]
		if len(positions) > 1 {
			at = positions[row*batch/x.Rows()]
		}
		p := at[row%seq]
		if p < 0 || p >= r.Cos.Dim(0) {
			panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: position of row %d", row), Got: p, Limit: r.Cos.Dim(0)})
		}
		for k := range half {
			turn := complex(float64(r.Cos.At(p, k)), float64(r.Sin.At(p, k)))
			if conjugate {
				turn = cmplx.Conj(turn)
			}
			z := complex(float64(x.Row(row)[k]), float64(x.Row(row)[half+k])) * turn
			dst.Row(row)[k], dst.Row(row)[half+k] = float32(real(z)), float32(imag(z))
		}
	}
	return dst
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.apply(dst, x, positions, false)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.apply(dst, dy, positions, true)
}
