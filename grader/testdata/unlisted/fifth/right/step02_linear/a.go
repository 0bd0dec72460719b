//go:build unlisted

package linear

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// loops-in-float64: plain loops with float64 sums and a new y in every call
//
// Why: the same sums, more exactly; a y that nobody overwrites is valid long enough.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	l.x = x
	l.y = tensor.New(slices.Concat(x.Lead(1), []int{W.Dim(0)})...)
	for n := range x.Rows() {
		xn, yn := x.Row(n), l.y.Row(n)
		for i := range yn {
			sum := 0.0
			for j, w := range W.Row(i) {
				sum += float64(xn[j]) * float64(w)
			}
			yn[i] = float32(sum)
		}
	}
	return l.y
}

// goroutine-for-every-output: dW is computed by a goroutine for each of its rows, dx as a sum of scaled rows of W
//
// Why: each row of dW is written by one goroutine only and keeps what it held; the sums are the same in another order.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	x, rows := l.x, l.x.Rows()

	var all sync.WaitGroup
	for i := range W.Dim(0) {
		all.Add(1)
		go func() {
			defer all.Done()
			sum := make([]float64, W.Dim(1))
			for n := rows - 1; n >= 0; n-- {
				d := float64(dy.Row(n)[i])
				for j, v := range x.Row(n) {
					sum[j] += d * float64(v)
				}
			}
			grad := dW.Row(i)
			for j, s := range sum {
				grad[j] = float32(float64(grad[j]) + s)
			}
		}()
	}
	dx := tensor.New(x.Shape...)
	for n := range rows {
		sum := make([]float64, W.Dim(1))
		for i, d := range dy.Row(n) {
			for j, w := range W.Row(i) {
				sum[j] += float64(d) * float64(w)
			}
		}
		for j, s := range sum {
			dx.Row(n)[j] = float32(s)
		}
	}
	all.Wait()
	l.dx = dx
	return dx
}
