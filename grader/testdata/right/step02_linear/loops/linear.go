// Package linear is three loops over float64 sums, with new memory in every call.
package linear

import "github.com/stubformer/stubformer/reference/tensor"

type Linear struct {
	Weight *tensor.Param

	x *tensor.Tensor
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight}
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, w.Shape[1])
	l.x = x
	y := tensor.ReuseLead(nil, x.Lead(1), w.Shape[0])
	for i := range w.Shape[0] {
		for n := range x.Rows() {
			sum := 0.0
			for j, v := range x.Row(n) {
				sum += float64(v) * float64(w.At(i, j))
			}
			y.Row(n)[i] = float32(sum)
		}
	}
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w, x := l.Weight.Value, l.x
	tensor.CheckShape("Linear.Backward: x of Forward", x, tensor.Lead, w.Shape[1])
	tensor.CheckLead("Linear.Backward: dy", dy, x.Lead(1), w.Shape[0])
	dx := tensor.New(x.Shape...)
	for j := range w.Shape[1] {
		for n := range x.Rows() {
			sum := 0.0
			for i, d := range dy.Row(n) {
				sum += float64(d) * float64(w.At(i, j))
			}
			dx.Row(n)[j] = float32(sum)
		}
		for i := range w.Shape[0] {
			sum := 0.0
			for n := range x.Rows() {
				sum += float64(dy.Row(n)[i]) * float64(x.Row(n)[j])
			}
			l.Weight.Grad.Row(i)[j] += float32(sum)
		}
	}
	return dx
}
