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
	logTheta := math.Log(theta)
	for i := range r.Cos.Data {
		p, k := i/(dK/2), i%(dK/2)
		phi := float64(p) * math.Exp(-2*float64(k)/float64(dK)*logTheta)
		r.Cos.Data[i], r.Sin.Data[i] = float32(math.Cos(phi)), float32(math.Sin(phi))
	}
	return r
}

// The positions are those of the rows, which the loop knows.
func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	for _, row := range positions {
		for _, p := range row {
			if p < 0 || p >= r.Cos.Dim(0) {
				panic(tensor.IndexError{Op: "RoPE.Forward: position", Got: p, Limit: r.Cos.Dim(0)})
			}
		}
	}
	return r.each(dst, x, func(a, b, c, s float32) (float32, float32) { return a*c - b*s, b*c + a*s })
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.each(dst, dy, func(a, b, c, s float32) (float32, float32) { return a*c + b*s, b*c - a*s })
}

func (r *RoPE) each(dst, x *tensor.Tensor, turn func(a, b, c, s float32) (float32, float32)) *tensor.Tensor {
	dst = tensor.Reuse(dst, x.Shape...)
	t, seq := 0, x.Dim(-2)
	for row := range x.Rows() {
		for k := range r.Cos.Dim(1) {
			dst.Row(row)[2*k], dst.Row(row)[2*k+1] = turn(x.Row(row)[2*k], x.Row(row)[2*k+1], r.Cos.At(t, k), r.Sin.At(t, k))
		}
		if t++; t == seq {
			t = 0
		}
	}
	return dst
}
