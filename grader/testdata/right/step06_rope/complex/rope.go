// Package rope multiplies complex numbers; the tables are made column by column.
package rope

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/stubformer/stubformer/reference/tensor"
)

type RoPE struct{ Cos, Sin *tensor.Tensor }

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{tensor.New(maxSeqLen, dK/2), tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		frequency := math.Exp(-2 * float64(k) / float64(dK) * math.Log(theta))
		for p := range maxSeqLen {
			turn := cmplx.Rect(1, float64(p)*frequency)
			r.Cos.Set(float32(real(turn)), p, k)
			r.Sin.Set(float32(imag(turn)), p, k)
		}
	}
	return r
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.turn("RoPE.Forward: x", dst, x, positions, func(by complex128) complex128 { return by })
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.turn("RoPE.Backward: dy", dst, dy, positions, cmplx.Conj)
}

func (r *RoPE) turn(op string, dst, x *tensor.Tensor, positions [][]int, way func(complex128) complex128) *tensor.Tensor {
	limit, pairs := r.Cos.Dim(0), r.Cos.Dim(1)
	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*pairs)
	batch, tokens := x.Dim(0), x.Dim(-2)
	if n := len(positions); n != 1 && n != batch {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{n}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != tokens {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{tokens}})
		}
		for t, p := range row {
			if p < 0 || p >= limit {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: limit})
			}
		}
	}
	y := tensor.Reuse(dst, x.Shape...)
	for i := x.Rows() - 1; i >= 0; i-- {
		row := positions[0]
		if len(positions) > 1 {
			row = positions[i/(x.Rows()/batch)]
		}
		for k := range pairs {
			at := row[i%tokens]*pairs + k
			z := complex(float64(x.Row(i)[2*k]), float64(x.Row(i)[2*k+1]))
			z *= way(complex(float64(r.Cos.Data[at]), float64(r.Sin.Data[at])))
			y.Row(i)[2*k], y.Row(i)[2*k+1] = float32(real(z)), float32(imag(z))
		}
	}
	return y
}
