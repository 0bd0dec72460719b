package rmsnorm

import "github.com/stubformer/stubformer/reference/tensor"

const Eps = 1e-5

type RMSNorm struct {
	Gain *tensor.Param
	x    *tensor.Tensor
	top  []float32
}

func New(gain *tensor.Param) *RMSNorm { return &RMSNorm{Gain: gain} }

// Forward divides every row by its largest element.
func (n *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, n.Gain.Value.Dim(0))
	n.x, n.top = x, nil
	y := tensor.New(x.Shape...)
	for r := range x.Rows() {
		top := float32(Eps)
		for _, v := range x.Row(r) {
			top = max(top, v, -v)
		}
		n.top = append(n.top, top)
		for i, v := range x.Row(r) {
			y.Row(r)[i] = v / top * n.Gain.Value.Data[i]
		}
	}
	return y
}

func (n *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Backward: dy", dy, n.x.Shape...)
	dx := tensor.New(dy.Shape...)
	for r, top := range n.top {
		for i, g := range dy.Row(r) {
			dx.Row(r)[i] = g * n.Gain.Value.Data[i] / top
			n.Gain.Grad.Data[i] += g * n.x.Row(r)[i] / top
		}
	}
	return dx
}

func (n *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{n.Gain} }
