//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// running-mean: mean of the squares is a running mean in float64, and nothing is kept but x
//
// Why: m += (x² − m)/(j + 1) ends at the mean of the squares; Backward works out r again from the x that was kept.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	d := l.Gain.Value.Len()
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, d)
	l.x, l.y = x, tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		root := rootOf(x.Row(n))
		for i, v := range x.Row(n) {
			l.y.Data[n*d+i] = float32(float64(l.Gain.Value.Data[i]) * (float64(v) / root))
		}
	}
	return l.y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d := l.Gain.Value.Len()
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, d)
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	for n := dy.Rows() - 1; n >= 0; n-- {
		x, dyn, root, along := l.x.Row(n), dy.Row(n), rootOf(l.x.Row(n)), 0.0
		for i := range d {
			h := float64(x[i]) / root
			l.Gain.Grad.Data[i] += float32(float64(dyn[i]) * h)
			along += float64(dyn[i]) * float64(l.Gain.Value.Data[i]) * h
		}
		for i := range d {
			dh := float64(dyn[i]) * float64(l.Gain.Value.Data[i])
			l.dx.Data[n*d+i] = float32((dh - float64(x[i])/root*along/float64(d)) / root)
		}
	}
	return l.dx
}

func rootOf(x []float32) float64 {
	mean := 0.0
	for j, v := range x {
		mean += (float64(v)*float64(v) - mean) / float64(j+1)
	}
	return math.Sqrt(mean + Eps)
}

// whole-jacobian: dx is dh times the whole matrix of derivatives
//
// Why: ∂h_i/∂x_j = r·(δ_ij − h_i·h_j/D), and the sum over i of dh_i times it is the stub's formula before it is simplified.
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g, grad := l.Gain.Value.Data, l.Gain.Grad.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	for n := range l.x.Rows() {
		x, dyn, squares := l.x.Row(n), dy.Row(n), 0.0
		for _, v := range x {
			squares += float64(v) * float64(v)
		}
		r := 1 / math.Sqrt(squares/float64(len(x))+Eps)
		for j := range x {
			sum := 0.0
			for i := range x {
				slope := -float64(x[i]) * r * float64(x[j]) * r / float64(len(x))
				if i == j {
					slope++
				}
				sum += float64(dyn[i]) * float64(g[i]) * slope
			}
			l.dx.Row(n)[j] = float32(r * sum)
			grad[j] += float32(float64(dyn[j]) * float64(x[j]) * r)
		}
	}
	return l.dx
}
