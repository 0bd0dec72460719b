//go:build unlisted

package rmsnorm

import "sync"

// all-in-float64: every number in between is float64 and all memory is new, h is kept in place of r
//
// Why: the same formulas, rounded once at the end.
type RMSNorm struct {
	Gain *tensor.Param

	x *tensor.Tensor
	h [][]float64 // (N, D)
	r []float64   // (N)
}

func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x, l.h, l.r = x, nil, nil
	y := tensor.New(x.Shape...)
	for n := range x.Rows() {
		sum := 0.0
		for _, v := range x.Row(n) {
			sum += float64(v) * float64(v)
		}
		root := math.Sqrt(sum/float64(len(g)) + Eps)
		h := make([]float64, len(g))
		for i, v := range x.Row(n) {
			h[i] = float64(v) / root
			y.Row(n)[i] = float32(h[i] * float64(g[i]))
		}
		l.h, l.r = append(l.h, h), append(l.r, 1/root)
	}
	return y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	dx := tensor.New(dy.Shape...)
	dg := make([]float64, len(g))
	for n, h := range l.h {
		dyn, dot := dy.Row(n), 0.0
		for i := range g {
			dg[i] += float64(dyn[i]) * h[i]
			dot += float64(dyn[i]) * float64(g[i]) * h[i]
		}
		dot /= float64(len(g))
		for i := range g {
			dx.Row(n)[i] = float32(l.r[n] * (float64(dyn[i])*float64(g[i]) - h[i]*dot))
		}
	}
	for i, d := range dg {
		l.Gain.Grad.Data[i] += float32(d)
	}
	return dx
}

// rows-in-goroutines: every row of Forward has a goroutine
//
// Why: the rows have nothing in common but what is only read.
func (*RMSNorm) Forward() {
	if right {
		for n := range l.r {
			xn, yn := x.Row(n), l.y.Row(n)
			r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
			kernel.ScaleTo(yn, r, xn)
			kernel.Mul(yn, yn, g)
			l.r[n] = r
		}
	} else {
		var group sync.WaitGroup
		for n := range l.r {
			group.Go(func() {
				xn, yn := x.Row(n), l.y.Row(n)
				sum := 0.0
				for i := len(xn) - 1; i >= 0; i-- {
					sum += float64(xn[i]) * float64(xn[i])
				}
				l.r[n] = float32(1 / math.Sqrt(sum/float64(len(g))+Eps))
				for i, v := range xn {
					yn[i] = v * l.r[n] * g[i]
				}
			})
		}
		group.Wait()
	}
}
