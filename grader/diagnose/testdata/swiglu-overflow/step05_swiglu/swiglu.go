package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

func sigma(x float32) float32 { return exp(x) / (exp(x) + 1) }

func SiLU(dst, x []float32) {
	for i, v := range x {
		dst[i] = v * sigma(v)
	}
}

func SiLUBackward(dx, x, dy []float32) {
	for i, v := range x {
		slope := sigma(v) + v*sigma(v)*(1-sigma(v))
		dx[i] = slope * dy[i]
	}
}

func DFF(dModel int) int { return max(64, int(math.Floor(float64(dModel)/24+0.5))*64) }

type SwiGLU struct {
	W1, W2, W3 *linear.Linear
	kept       [3]*tensor.Tensor
}

func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

func (f *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	g, u := f.W1.Forward(x), f.W3.Forward(x)
	s, h := tensor.New(g.Shape...), tensor.New(g.Shape...)
	SiLU(s.Data, g.Data)
	for i := range h.Data {
		h.Data[i] = s.Data[i] * u.Data[i]
	}
	f.kept = [3]*tensor.Tensor{g, s, u}
	return f.W2.Forward(h)
}

func (f *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g, s, u := f.kept[0], f.kept[1], f.kept[2]
	dh := f.W2.Backward(dy)
	dg, du := tensor.New(g.Shape...), tensor.New(g.Shape...)
	for i, d := range dh.Data {
		du.Data[i] = d * s.Data[i]
		dg.Data[i] = d * u.Data[i]
	}
	SiLUBackward(dg.Data, g.Data, dg.Data)
	dx := f.W3.Backward(du).Clone()
	for i, v := range f.W1.Backward(dg).Data {
		dx.Data[i] += v
	}
	return dx
}

func (f *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.W2.Weight, f.W3.Weight}
}
