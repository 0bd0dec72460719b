// Package rmsnorm computes in float64 throughout and keeps the norms; dx is
// written over x and dy alone, without the normalised row.
package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

const Eps = 1e-5

type RMSNorm struct {
	Gain *tensor.Param

	x   *tensor.Tensor
	rms []float64
}

func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain}
}

func (l *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{l.Gain} }

func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	d := l.Gain.Value.Len()
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, d)
	l.x, l.rms = x, make([]float64, x.Rows())
	y := tensor.New(x.Shape...)
	for n := range l.rms {
		var sum float64
		for j := d - 1; j >= 0; j-- {
			sum += math.Pow(float64(x.Row(n)[j]), 2)
		}
		l.rms[n] = math.Sqrt(sum/float64(d) + Eps)
		for j, v := range x.Row(n) {
			y.Row(n)[j] = float32(float64(v) / l.rms[n] * float64(l.Gain.Value.Data[j]))
		}
	}
	return y
}

// Backward uses dx_i = (dy_i·g_i − x_i·Σ_j dy_j·g_j·x_j/(D·rms²))/rms.
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	dx, dg := tensor.New(l.x.Shape...), make([]float64, len(g))
	for n, rms := range l.rms {
		x, dyn := l.x.Row(n), dy.Row(n)
		var mean float64
		for j := range x {
			mean += float64(dyn[j]) * float64(g[j]) * (float64(x[j]) / rms) / float64(len(g))
			dg[j] += float64(dyn[j]) * float64(x[j]) / rms
		}
		for j := range x {
			dx.Row(n)[j] = float32((float64(dyn[j])*float64(g[j]) - float64(x[j])/rms*mean) / rms)
		}
	}
	for j, v := range dg {
		l.Gain.Grad.Data[j] += float32(v)
	}
	return dx
}
