//go:build unlisted

package rmsnorm

import (
	"math"
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// rows-by-workers: Forward shares the rows between goroutines and allocates y and r afresh
//
// Why: every row is written by one goroutine only; the formula is the same, in float64 until the last rounding.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	y, r := tensor.New(x.Shape...), make([]float32, x.Rows())
	workers := min(4, runtime.NumCPU())
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := w; n < len(r); n += workers {
				mean := float64(Eps)
				for _, v := range x.Row(n) {
					mean += float64(v) * float64(v) / float64(len(g))
				}
				scale := 1 / math.Sqrt(mean)
				r[n] = float32(scale)
				yn := y.Row(n)
				for i, v := range x.Row(n) {
					yn[i] = float32(float64(v) * scale * float64(g[i]))
				}
			}
		})
	}
	all.Wait()
	l.x, l.y, l.r = x, y, r
	return y
}

// x-instead-of-h-in-float64: Backward recomputes r in float64 and writes the second term as r³·x·mean(dh ⊙ x)
//
// Why: in float64 r³ of a row of 1e16 is 1e-48 and no trouble; the terms are the same.
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g, d := l.Gain.Value.Data, len(l.Gain.Value.Data)
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, d)
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	dx, dg := tensor.New(l.x.Shape...), make([]float64, d)
	for n := range l.x.Rows() {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), dx.Row(n)
		var squares, dot float64
		for i, v := range xn {
			squares += float64(v) * float64(v)
			dot += float64(dyn[i]) * float64(g[i]) * float64(v)
		}
		r := 1 / math.Sqrt(squares/float64(d)+Eps)
		for i, v := range xn {
			dg[i] += float64(dyn[i]) * float64(v) * r
			dxn[i] = float32(r*float64(dyn[i])*float64(g[i]) - r*r*r*float64(v)*(dot/float64(d)))
		}
	}
	for i, s := range dg {
		l.Gain.Grad.Data[i] = float32(float64(l.Gain.Grad.Data[i]) + s)
	}
	l.dx = dx
	return dx
}
