package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

func sigmoid(x float32) float32 {
	if x < 0 {
		e := math.Exp(float64(x))
		return float32(e / (1 + e))
	}
	return float32(1 / (1 + math.Exp(-float64(x))))
}

func SiLU(dst, x []float32) {
	for i := range dst {
		dst[i] = x[i] * sigmoid(x[i])
	}
}

func SiLUBackward(dx, x, dy []float32) {
	for i := range dx {
		s := sigmoid(x[i])
		dx[i] = (s + x[i]*s*(1-s)) * dy[i]
	}
}

const ratio = 8 / 3

func DFF(dModel int) int {
	width := ratio * dModel
	down := width / 64 * 64
	if width-down >= 32 {
		down += 64
	}
	if down == 0 {
		return 64
	}
	return down
}

type SwiGLU struct {
	W1, W2, W3 *linear.Linear
	gate, up   []float32
	like       *tensor.Tensor
}

func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

func (f *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	g, u := f.W1.Forward(x), f.W3.Forward(x)
	f.gate, f.up, f.like = g.Data, u.Data, g
	h := tensor.New(g.Shape...)
	for i, v := range g.Data {
		h.Data[i] = v * sigmoid(v) * u.Data[i]
	}
	return f.W2.Forward(h)
}

// Backward hands each branch the gradient times the other branch.
func (f *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	dh := f.W2.Backward(dy)
	dg, du := tensor.New(f.like.Shape...), tensor.New(f.like.Shape...)
	for i, d := range dh.Data {
		dg.Data[i] = d * f.up[i]
		du.Data[i] = d * f.gate[i] * sigmoid(f.gate[i])
	}
	dx := f.W1.Backward(dg).Clone()
	other := f.W3.Backward(du)
	for i := range dx.Data {
		dx.Data[i] += other.Data[i]
	}
	return dx
}

func (f *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.W2.Weight, f.W3.Weight}
}
