//go:build unlisted

package rmsnorm

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// rows-in-goroutines-in-float64: a goroutine for every few rows, all of it in float64, new tensors in every call
//
// Why: rows do not depend on each other; what they share, dg, is summed for each goroutine apart and added at the end.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	y := tensor.New(x.Shape...)
	inParts(x.Rows(), func(part, n int) {
		_, inverse := rootOf(x.Row(n))
		for i, v := range x.Row(n) {
			y.Row(n)[i] = float32(float64(v) * inverse * float64(g[i]))
		}
	})
	return y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	x, dx := l.x, tensor.New(l.x.Shape...)
	var dg [parts][]float64
	for p := range dg {
		dg[p] = make([]float64, len(g))
	}
	inParts(x.Rows(), func(part, n int) {
		root, inverse := rootOf(x.Row(n))
		mean := 0.0
		for i, v := range x.Row(n) {
			h := float64(v) * inverse
			dg[part][i] += float64(dy.Row(n)[i]) * h
			mean += float64(dy.Row(n)[i]) * float64(g[i]) * h
		}
		mean /= float64(len(g))
		for i, v := range x.Row(n) {
			dx.Row(n)[i] = float32((float64(dy.Row(n)[i])*float64(g[i]) - float64(v)*inverse*mean) / root)
		}
	})
	for i := range g {
		sum := float64(l.Gain.Grad.Data[i])
		for p := range dg {
			sum += dg[p][i]
		}
		l.Gain.Grad.Data[i] = float32(sum)
	}
	return dx
}

const parts = 4

func inParts(n int, do func(part, i int)) {
	var wg sync.WaitGroup
	for p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := p * n / parts; i < (p+1)*n/parts; i++ {
				do(p, i)
			}
		}()
	}
	wg.Wait()
}

func rootOf(x []float32) (root, inverse float64) {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	root = math.Sqrt(sum/float64(len(x)) + Eps)
	return root, 1 / root
}

// columns-and-a-recursive-sum: sums are halved recursively, dg is computed column by column, nothing but x is kept
//
// Why: r follows from x, which the caller leaves unchanged, so Backward may compute it again; sums have any order.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	for n := x.Rows() - 1; n >= 0; n-- {
		xn := x.Row(n)
		r := scaleOf(xn)
		for i := range g {
			l.y.Row(n)[i] = float32(r*float64(xn[i])) * g[i]
		}
	}
	return l.y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g, dg := l.Gain.Value.Data, l.Gain.Grad.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	r := make([]float64, l.x.Rows())
	for n := range r {
		xn, dyn := l.x.Row(n), dy.Row(n)
		r[n] = scaleOf(xn)
		mean := halves(len(g), func(i int) float64 { return float64(dyn[i]) * float64(g[i]) * (r[n] * float64(xn[i])) }) / float64(len(g))
		for i := range g {
			l.dx.Row(n)[i] = float32(r[n] * (float64(dyn[i])*float64(g[i]) - r[n]*float64(xn[i])*mean))
		}
	}
	for i := range g {
		dg[i] += float32(halves(len(r), func(n int) float64 { return float64(dy.Row(n)[i]) * (r[n] * float64(l.x.Row(n)[i])) }))
	}
	return l.dx
}

func scaleOf(x []float32) float64 {
	return math.Pow(halves(len(x), func(i int) float64 { return float64(x[i]) * float64(x[i]) })/float64(len(x))+Eps, -0.5)
}

func halves(n int, term func(i int) float64) float64 {
	if n == 0 {
		return 0
	}
	if n == 1 {
		return term(0)
	}
	return halves(n/2, term) + halves(n-n/2, func(i int) float64 { return term(n/2 + i) })
}
