package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

const Eps = 1e-5

type RMSNorm struct {
	Gain *tensor.Param
	x    *tensor.Tensor
	inv  []float32
}

func New(gain *tensor.Param) *RMSNorm { return &RMSNorm{Gain: gain} }

func rms(row []float32) float32 {
	var ss float32
	for _, v := range row {
		ss += v * v
	}
	return float32(math.Sqrt(float64(ss / float32(len(row)))))
}

func (n *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, n.Gain.Value.Dim(0))
	n.x, n.inv = x, make([]float32, x.Rows())
	out := tensor.New(x.Shape...)
	for r := range n.inv {
		n.inv[r] = 1 / (rms(x.Row(r)) + Eps)
		for i, v := range x.Row(r) {
			out.Row(r)[i] = n.Gain.Value.Data[i] * (v * n.inv[r])
		}
	}
	return out
}

func (n *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Backward: dy", dy, n.x.Shape...)
	d := float32(n.Gain.Value.Dim(0))
	dx := tensor.New(dy.Shape...)
	sums := make([]float64, n.Gain.Value.Dim(0))
	for r, inv := range n.inv {
		x, g := n.x.Row(r), n.Gain.Value.Data
		var inner float64
		for i, v := range dy.Row(r) {
			sums[i] += float64(v * x[i] * inv)
			inner += float64(v*g[i]) * float64(x[i]*inv)
		}
		for i, v := range dy.Row(r) {
			dx.Row(r)[i] = inv * (v*g[i] - x[i]*inv*float32(inner)/d)
		}
	}
	for i, s := range sums {
		n.Gain.Grad.Data[i] += float32(s)
	}
	return dx
}

func (n *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{n.Gain} }
