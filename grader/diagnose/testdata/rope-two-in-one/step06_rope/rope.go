package rope

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type RoPE struct {
	Cos, Sin *tensor.Tensor
}

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK&1 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK", Got: []int{dK}})
	}
	c, s := tensor.New(maxSeqLen, dK/2), tensor.New(maxSeqLen, dK/2)
	for k := 0; k < dK; k += 2 {
		wave := math.Pow(10000, float64(k)/float64(dK)) // the usual base
		for p := range maxSeqLen {
			sin, cos := math.Sincos(float64(p) / wave)
			c.Row(p)[k/2], s.Row(p)[k/2] = float32(cos), float32(sin)
		}
	}
	return &RoPE{Cos: c, Sin: s}
}

func (r *RoPE) spin(dst, x *tensor.Tensor, positions [][]int, sign float32) *tensor.Tensor {
	tensor.CheckShape("RoPE", x, tensor.Lead, 2*r.Cos.Dim(1))
	dst = tensor.Reuse(dst, x.Shape...)
	seq := x.Dim(-2)
	groups := x.Rows() / seq / x.Dim(0)
	row := 0
	for b := range x.Dim(0) {
		pos := positions[b%len(positions)]
		for range groups {
			for _, p := range pos {
				if p < 0 || p >= r.Cos.Dim(0) {
					panic(tensor.IndexError{Op: "RoPE: position", Got: p, Limit: r.Cos.Dim(0)})
				}
				in, out := x.Row(row), dst.Row(row)
				for k, c := range r.Cos.Row(p) {
					even, odd := in[2*k], in[2*k+1]
					s := sign * r.Sin.Row(p)[k]
					out[2*k], out[2*k+1] = c*even+s*odd, c*odd-s*even
				}
				row++
			}
		}
	}
	return dst
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.spin(dst, x, positions, 1)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.spin(dst, dy, positions, -1)
}
