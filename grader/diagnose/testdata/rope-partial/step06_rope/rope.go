package rope

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type RoPE struct{ Cos, Sin *tensor.Tensor }

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for p := range maxSeqLen {
		for k := range dK / 2 {
			phi := float64(p) / math.Pow(theta, 2*float64(k)/float64(dK))
			r.Cos.Set(float32(math.Cos(phi)), p, k)
			r.Sin.Set(float32(math.Sin(phi)), p, k)
		}
	}
	return r
}

// Only the first half of the pairs is turned, the rest carries the content.
func (r *RoPE) walk(dst, x *tensor.Tensor, positions [][]int, sign float32) *tensor.Tensor {
	dst = tensor.Reuse(dst, x.Shape...)
	if dst != x {
		copy(dst.Data, x.Data)
	}
	perBatch := x.Rows() / x.Dim(0)
	for row := range x.Rows() {
		p := positions[row/perBatch%len(positions)][row%x.Dim(-2)]
		if p < 0 || p >= r.Cos.Dim(0) {
			panic(tensor.IndexError{Op: "RoPE: position", Got: p, Limit: r.Cos.Dim(0)})
		}
		out := dst.Row(row)
		for k := 0; k < (r.Cos.Dim(1)+1)/2; k++ {
			c, s := r.Cos.At(p, k), sign*r.Sin.At(p, k)
			out[2*k], out[2*k+1] = out[2*k]*c-out[2*k+1]*s, out[2*k]*s+out[2*k+1]*c
		}
	}
	return dst
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.walk(dst, x, positions, 1)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.walk(dst, dy, positions, -1)
}
