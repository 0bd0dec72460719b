//go:build unlisted

package linear

import (
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// float64-loops: plain loops with sums in float64 and new tensors in every call
//
// Why: memory that is never used again is valid longer than it has to be.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	dOut, dIn := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	l.x = x
	shape := append([]int{}, x.Shape...)
	shape[len(shape)-1] = dOut
	l.y = tensor.New(shape...)
	for n := range x.Rows() {
		row, out := x.Row(n), l.y.Row(n)
		for i := range out {
			sum := 0.0
			for j, w := range l.Weight.Value.Row(i) {
				sum += float64(w) * float64(row[j])
			}
			out[i] = float32(sum)
		}
	}
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Backward: x", l.x, tensor.Lead, l.Weight.Value.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	dx := tensor.New(l.x.Shape...)
	dOut, dIn := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
	dw := make([]float64, dOut*dIn)
	for n := range dy.Rows() {
		x, sums := l.x.Row(n), make([]float64, dIn)
		for i, d := range dy.Row(n) {
			for j, w := range l.Weight.Value.Row(i) {
				sums[j] += float64(d) * float64(w)
				dw[i*dIn+j] += float64(d) * float64(x[j])
			}
		}
		for j, s := range sums {
			dx.Row(n)[j] = float32(s)
		}
	}
	for i, d := range dw {
		l.Weight.Grad.Data[i] += float32(d)
	}
	return dx
}

// goroutine-for-each-row: rows of y and dx, and rows of dW, by goroutines
//
// Why: no two goroutines write the same row, and the arguments are checked before any of them starts.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, l.Weight.Value.Dim(1))
	l.x = x
	l.y = tensor.ReuseLead(l.y, x.Lead(1), l.Weight.Value.Dim(0))
	concurrently(x.Rows(), func(n int) {
		for i := range l.y.Row(n) {
			l.y.Row(n)[i] = kernel.Dot(x.Row(n), l.Weight.Value.Row(i))
		}
	})
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W := l.Weight
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Value.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	concurrently(dy.Rows(), func(n int) {
		clear(l.dx.Row(n))
		for i, d := range dy.Row(n) {
			kernel.Axpy(d, W.Value.Row(i), l.dx.Row(n))
		}
	})
	concurrently(W.Value.Dim(0), func(i int) {
		for n := range dy.Rows() {
			kernel.Axpy(dy.Row(n)[i], l.x.Row(n), W.Grad.Row(i))
		}
	})
	return l.dx
}

func concurrently(n int, do func(int)) {
	const workers = 3
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	all.Wait()
}
