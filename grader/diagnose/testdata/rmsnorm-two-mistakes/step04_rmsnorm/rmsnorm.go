package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

const Eps = 1e-5

type RMSNorm struct {
	Gain *tensor.Param
	x    *tensor.Tensor
}

func New(gain *tensor.Param) *RMSNorm { return &RMSNorm{Gain: gain} }

func (n *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, n.Gain.Value.Dim(0))
	n.x = x
	y := x.Clone()
	for r := range y.Rows() {
		row, length := y.Row(r), Eps
		for _, v := range row {
			length += float64(v) * float64(v)
		}
		for i := range row { // unit length
			row[i] = float32(float64(row[i]) / math.Sqrt(length) * float64(n.Gain.Value.Data[i]))
		}
	}
	return y
}

// Backward follows the formula of the lesson.
func (n *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Backward: dy", dy, n.x.Shape...)
	dx := tensor.New(n.x.Shape...)
	total := make([]float32, n.Gain.Value.Dim(0))
	for r := range dx.Rows() {
		x, up, down := n.x.Row(r), dy.Row(r), dx.Row(r)
		square, mixed := 0.0, 0.0
		for i := range x {
			square += float64(x[i]) * float64(x[i])
			mixed += float64(up[i]) * float64(n.Gain.Value.Data[i]) * float64(x[i])
		}
		d := float64(len(x))
		root := math.Sqrt(square/d + Eps)
		for i := range x {
			down[i] = float32(float64(up[i]*n.Gain.Value.Data[i])/root - float64(x[i])*mixed/(d*root*root*root))
			total[i] += float32(float64(up[i]) * float64(x[i]) / root)
		}
	}
	copy(n.Gain.Grad.Data, total) // instead of adding
	return dx
}

func (n *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{n.Gain} }
