package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// SiLU as in the GPT-2 code.
func SiLU(dst, x []float32) {
	if len(dst) != len(x) {
		panic(tensor.ShapeError{Op: "SiLU", Got: []int{len(x)}, Want: []int{len(dst)}})
	}
	for i := range x {
		v := float64(x[i])
		inner := 0.7978845608028654 * (v + 0.044715*math.Pow(v, 3))
		dst[i] = float32(v / 2 * (1 + math.Tanh(inner)))
	}
}

func SiLUBackward(dx, x, dy []float32) {
	for i, v := range x {
		s := 1 / (1 + math.Exp(-float64(v)))
		dx[i] = float32(float64(dy[i]) * (s + float64(v)*s*(1-s)))
	}
}

func DFF(dModel int) int {
	exact := 8 * float64(dModel) / 3
	return int(math.Max(64, math.Round(exact/64)*64))
}

type SwiGLU struct {
	W1, W2, W3 *linear.Linear
	a, b, s    *tensor.Tensor
}

func New(w1, w2, w3 *tensor.Param) *SwiGLU {
	return &SwiGLU{W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3)}
}

func (f *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	f.a, f.b = f.W1.Forward(x), f.W3.Forward(x)
	f.s = tensor.New(f.a.Shape...)
	SiLU(f.s.Data, f.a.Data)
	h := tensor.New(f.a.Shape...)
	for i := range h.Data {
		h.Data[i] = f.s.Data[i] * f.b.Data[i]
	}
	return f.W2.Forward(h)
}

func (f *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	dh := f.W2.Backward(dy)
	ds, db, da := tensor.New(dh.Shape...), tensor.New(dh.Shape...), tensor.New(dh.Shape...)
	for i, g := range dh.Data {
		ds.Data[i], db.Data[i] = g*f.b.Data[i], g*f.s.Data[i]
	}
	SiLUBackward(da.Data, f.a.Data, ds.Data)
	dx := f.W1.Backward(da).Clone()
	for i, v := range f.W3.Backward(db).Data {
		dx.Data[i] += v
	}
	return dx
}

func (f *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.W2.Weight, f.W3.Weight}
}
