// Package linear has a goroutine for every row of a result, and sums with
// kernel.Axpy, which adds a scaled row at a time.
package linear

import (
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

type Linear struct {
	Weight *tensor.Param

	x, y, dx *tensor.Tensor
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight}
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, w.Dim(1))
	l.x, l.y = x, tensor.ReuseLead(l.y, x.Lead(1), w.Dim(0))
	each(x.Rows(), func(n int) {
		for i := range w.Rows() {
			l.y.Row(n)[i] = kernel.Dot(w.Row(i), x.Row(n))
		}
	})
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, w.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	each(l.x.Rows(), func(n int) {
		row := l.dx.Row(n)
		clear(row)
		for i, d := range dy.Row(n) {
			kernel.Axpy(d, w.Row(i), row)
		}
	})
	each(w.Rows(), func(i int) {
		for n := l.x.Rows() - 1; n >= 0; n-- {
			kernel.Axpy(dy.Row(n)[i], l.x.Row(n), l.Weight.Grad.Row(i))
		}
	})
	return l.dx
}

// each calls do for 0 ≤ i < n, all at the same time.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
