package linear

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Linear struct {
	Weight *tensor.Param
	x      *tensor.Tensor
}

func New(weight *tensor.Param) *Linear { return &Linear{Weight: weight} }

// Forward divides by √in, so that outputs have the size of inputs.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, w.Dim(1))
	l.x = x
	y := tensor.New(append(append([]int{}, x.Shape[:len(x.Shape)-1]...), w.Dim(0))...)
	scale := float32(1 / math.Sqrt(float64(w.Dim(1))))
	for r := range x.Rows() {
		for o := range w.Dim(0) {
			var s float32
			for i, v := range x.Row(r) {
				s += v * w.Row(o)[i]
			}
			y.Row(r)[o] = s * scale
		}
	}
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, w.Dim(0))
	dx, dw := tensor.New(l.x.Shape...), tensor.New(w.Shape...)
	for r := range dy.Rows() {
		for o, g := range dy.Row(r) {
			for i, v := range l.x.Row(r) {
				dx.Row(r)[i] += g * w.Row(o)[i]
				dw.Row(o)[i] += g * v
			}
		}
	}
	l.Weight.Grad = dw // a new tensor, not the one that the optimiser holds
	return dx
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
