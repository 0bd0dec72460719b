//go:build unlisted

package linear

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// goroutine-for-each-row: plain sums in float64, a goroutine for every row, new tensors every time
//
// Why: Right: nothing but the order and the precision of the sums is different.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	l.x = x
	l.y = tensor.New(append(append([]int{}, x.Lead(1)...), W.Dim(0))...)
	var all sync.WaitGroup
	for n := range x.Rows() {
		all.Go(func() {
			for i := range W.Dim(0) {
				sum := 0.0
				for j, v := range x.Row(n) {
					sum += float64(v) * float64(W.Row(i)[j])
				}
				l.y.Row(n)[i] = float32(sum)
			}
		})
	}
	all.Wait()
	return l.y
}

// outer-products: Backward adds an outer product for every row and keeps its own sums in float64
//
// Why: Right: the sums over rows are made in float64 and added to the gradient at the end.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, append(append([]int{}, l.x.Lead(1)...), W.Dim(0))...)
	dx := tensor.New(l.x.Shape...)
	sums, row := make([]float64, W.Len()), make([]float64, W.Dim(1))
	for n := dy.Rows() - 1; n >= 0; n-- {
		clear(row)
		for i, d := range dy.Row(n) {
			for j, w := range W.Row(i) {
				row[j] += float64(d) * float64(w)
				sums[i*W.Dim(1)+j] += float64(d) * float64(l.x.Row(n)[j])
			}
		}
		for j, s := range row {
			dx.Row(n)[j] = float32(s)
		}
	}
	for i, s := range sums {
		dW.Data[i] += float32(s)
	}
	return dx
}
