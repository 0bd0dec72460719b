// Package linear computes the transposes of the products, on copies, and adds
// the gradient of the weight at the end.
package linear

import "github.com/stubformer/stubformer/reference/tensor"

type Linear struct {
	Weight *tensor.Param

	x *tensor.Tensor
	n int
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight}
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, l.Weight.Value.Dim(1))
	l.x = x
	shape := append(append([]int{}, x.Lead(1)...), l.Weight.Value.Dim(0))
	yT := tensor.New(l.Weight.Value.Dim(0), x.Rows()) // yᵀ = W·xᵀ
	tensor.Mul(yT.Matrix(), l.Weight.Value.Matrix(), x.Matrix().T())
	return transposed(yT).Reshape(shape...)
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, w.Value.Dim(1))
	tensor.CheckLead("Linear.Backward: dy", dy, l.x.Lead(1), w.Value.Dim(0))
	dxT := tensor.New(w.Value.Dim(1), l.x.Rows()) // dxᵀ = Wᵀ·dyᵀ
	tensor.Mul(dxT.Matrix(), w.Value.Matrix().T(), dy.Matrix().T())
	dwT := tensor.New(w.Value.Dim(1), w.Value.Dim(0)) // dWᵀ = xᵀ·dy
	tensor.Mul(dwT.Matrix(), l.x.Matrix().T(), dy.Matrix())
	for i, v := range transposed(dwT).Data {
		w.Grad.Data[i] += v
	}
	return transposed(dxT).Reshape(l.x.Shape...)
}

func transposed(t *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(t.Dim(1), t.Dim(0))
	tensor.Copy(out.Matrix(), t.Matrix().T())
	return out
}
