package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// SiLU is smooth and passes a little below zero: x·tanh(ln(1 + eˣ)).
func SiLU(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(float64(v) * math.Tanh(softplus(float64(v))))
	}
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func SiLUBackward(dx, x, dy []float32) {
	for i, v := range x {
		t := math.Tanh(softplus(float64(v)))
		s := 1 / (1 + math.Exp(-float64(v)))
		dx[i] = float32(float64(dy[i]) * (t + float64(v)*(1-t*t)*s))
	}
}

func DFF(dModel int) int {
	best := 64
	for f := 64; f <= 4*dModel; f += 64 {
		if math.Abs(float64(f)-8.0/3*float64(dModel)) <= math.Abs(float64(best)-8.0/3*float64(dModel)) {
			best = f
		}
	}
	return best
}

type SwiGLU struct {
	W1, W2, W3 *linear.Linear
	a, b, s    *tensor.Tensor
}

func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

func times(x, y *tensor.Tensor) *tensor.Tensor {
	z := tensor.New(x.Shape...)
	for i := range z.Data {
		z.Data[i] = x.Data[i] * y.Data[i]
	}
	return z
}

func (f *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	f.a, f.b = f.W1.Forward(x), f.W3.Forward(x)
	f.s = tensor.New(f.a.Shape...)
	SiLU(f.s.Data, f.a.Data)
	return f.W2.Forward(times(f.s, f.b))
}

func (f *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	dh := f.W2.Backward(dy)
	da := tensor.New(dh.Shape...)
	SiLUBackward(da.Data, f.a.Data, times(dh, f.b).Data)
	dx := f.W1.Backward(da).Clone()
	for i, v := range f.W3.Backward(times(dh, f.s)).Data {
		dx.Data[i] += v
	}
	return dx
}

func (f *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.W2.Weight, f.W3.Weight}
}
