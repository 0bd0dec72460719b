package classic

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Eps is added to the variance.
const Eps = 1e-5

// LayerNorm keeps the normalised rows in float64, and sums columns after rows.
type LayerNorm struct {
	Gain, Bias *tensor.Param

	shape []int
	rows  [][]float64 // (N, D), h
	r     []float64   // (N)
}

// NewLayerNorm returns the layer.
func NewLayerNorm(gain, bias *tensor.Param) *LayerNorm {
	tensor.CheckShape("classic.NewLayerNorm: gain", gain.Value, tensor.Any)
	if bias != nil {
		tensor.CheckShape("classic.NewLayerNorm: bias", bias.Value, gain.Value.Dim(0))
	}
	return &LayerNorm{Gain: gain, Bias: bias}
}

// Forward returns a new tensor in every call.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	d := l.Gain.Value.Dim(0)
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, d)
	l.shape = append([]int{}, x.Shape...)
	l.rows, l.r = make([][]float64, x.Rows()), make([]float64, x.Rows())
	y := tensor.New(x.Shape...)
	for n := range l.rows {
		l.rows[n], l.r[n] = standardised(x.Row(n))
		for i, h := range l.rows[n] {
			v := h * float64(l.Gain.Value.Data[i])
			if l.Bias != nil {
				v += float64(l.Bias.Value.Data[i])
			}
			y.Row(n)[i] = float32(v)
		}
	}
	return y
}

// standardised goes through the row from its first number, which is as far from the mean as
// any: what is summed are distances.
func standardised(x []float32) (h []float64, r float64) {
	h = make([]float64, len(x))
	mean, squares := 0.0, 0.0
	for i, v := range x {
		h[i] = float64(v) - float64(x[0])
		mean += h[i] / float64(len(x))
	}
	for i := range h {
		h[i] -= mean
		squares += h[i] * h[i] / float64(len(x))
	}
	r = math.Pow(squares+Eps, -0.5)
	for i := range h {
		h[i] *= r
	}
	return h, r
}

// Backward goes through the row three times.
func (l *LayerNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if l.shape == nil {
		panic(tensor.ShapeError{Op: "LayerNorm.Backward without a Forward", Got: dy.Shape})
	}
	tensor.CheckShape("LayerNorm.Backward: dy", dy, l.shape...)
	dx, d := tensor.New(l.shape...), float64(l.Gain.Value.Dim(0))
	for n, h := range l.rows {
		level, along := 0.0, 0.0
		for i, g := range l.Gain.Value.Data {
			dh := float64(dy.Row(n)[i]) * float64(g)
			level += dh
			along += dh * h[i]
		}
		for i, g := range l.Gain.Value.Data {
			dh := float64(dy.Row(n)[i]) * float64(g)
			dx.Row(n)[i] = float32(l.r[n] / d * (d*dh - level - h[i]*along))
		}
	}
	for i := range l.Gain.Grad.Data {
		dg, db := 0.0, 0.0
		for n, h := range l.rows {
			dg += float64(dy.Row(n)[i]) * h[i]
			db += float64(dy.Row(n)[i])
		}
		l.Gain.Grad.Data[i] += float32(dg)
		if l.Bias != nil {
			l.Bias.Grad.Data[i] += float32(db)
		}
	}
	return dx
}

// Params returns what is learnt.
func (l *LayerNorm) Params() (params []*tensor.Param) {
	for _, p := range []*tensor.Param{l.Gain, l.Bias} {
		if p != nil {
			params = append(params, p)
		}
	}
	return params
}
