//go:build unlisted

package rmsnorm

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// float64-from-x: all in float64, and Backward computes r again from x
//
// Why: Right: nothing but x is kept; dx is written as r·dh − r³·x·Σ dh⊙x/D.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	y := tensor.New(x.Shape...)
	for n := range x.Rows() {
		r := factor(x.Row(n))
		for i, v := range x.Row(n) {
			y.Row(n)[i] = float32(float64(v) * r * float64(g[i]))
		}
	}
	return y
}

func factor(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return 1 / math.Sqrt(sum/float64(len(x))+Eps)
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	dx, dg := tensor.New(l.x.Shape...), make([]float64, len(g))
	for n := range l.x.Rows() {
		x, d, r := l.x.Row(n), dy.Row(n), factor(l.x.Row(n))
		dot := 0.0
		for i, v := range x {
			dot += float64(d[i]) * float64(g[i]) * (float64(v) * r)
			dg[i] += float64(d[i]) * (float64(v) * r)
		}
		for i, v := range x {
			dx.Row(n)[i] = float32(r * (float64(d[i])*float64(g[i]) - float64(v)*r*dot/float64(len(g))))
		}
	}
	for i, s := range dg {
		l.Gain.Grad.Data[i] += float32(s)
	}
	return dx
}

// rows-in-parallel: Forward scales by the largest number first and works on all rows at the same time
//
// Why: Right: x/largest is squared, which overflows in no precision; r is that of the unscaled row.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x, l.r = x, make([]float32, x.Rows())
	l.y = tensor.Reuse(l.y, x.Shape...)
	var all sync.WaitGroup
	for n := range l.r {
		all.Go(func() {
			largest := 0.0
			for _, v := range x.Row(n) {
				largest = max(largest, math.Abs(float64(v)))
			}
			largest = max(largest, 1e-30)
			sum := 0.0
			for _, v := range x.Row(n) {
				sum += float64(v) / largest * (float64(v) / largest)
			}
			r := 1 / (largest * math.Sqrt(sum/float64(len(g))+Eps/largest/largest))
			l.r[n] = float32(r)
			for i, v := range x.Row(n) {
				l.y.Row(n)[i] = float32(float64(v) * r * float64(g[i]))
			}
		})
	}
	all.Wait()
	return l.y
}
