//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// all-in-float64: everything in float64 with the derivative written with r³
//
// Why: r·dh − x·r³·mean(dh ⊙ x) is the same derivative before it is simplified.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x, l.y = x, tensor.New(x.Shape...)
	for n := range x.Rows() {
		r := inverseRoot(x.Row(n))
		for i, v := range x.Row(n) {
			l.y.Row(n)[i] = float32(float64(v) * r * float64(g[i]))
		}
	}
	return l.y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	dx, dg := tensor.New(dy.Shape...), make([]float64, len(g))
	for n := range dy.Rows() {
		x, d, r, mean := l.x.Row(n), dy.Row(n), inverseRoot(l.x.Row(n)), 0.0
		for i := range x {
			mean += float64(d[i]) * float64(g[i]) * float64(x[i]) / float64(len(g))
			dg[i] += float64(d[i]) * float64(x[i]) * r
		}
		for i := range x {
			dx.Row(n)[i] = float32(r*float64(d[i])*float64(g[i]) - float64(x[i])*r*r*r*mean)
		}
	}
	for i, d := range dg {
		l.Gain.Grad.Data[i] += float32(d)
	}
	return dx
}

func inverseRoot(x []float32) float64 {
	squares := 0.0
	for _, v := range x {
		squares += float64(v) * float64(v)
	}
	return math.Pow(squares/float64(len(x))+Eps, -0.5)
}
