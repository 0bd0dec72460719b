package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

const Eps = 1e-5

// RMSNorm normalises to mean 0 and variance 1.
type RMSNorm struct {
	Gain *tensor.Param
	xhat []float64
	std  []float64
	like *tensor.Tensor
}

func New(gain *tensor.Param) *RMSNorm { return &RMSNorm{Gain: gain} }

func (n *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	d := n.Gain.Value.Len()
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, d)
	n.like, n.xhat, n.std = x, nil, nil
	y := tensor.New(x.Shape...)
	for r := 0; r < x.Rows(); r++ {
		mu, variance := 0.0, 0.0
		for _, v := range x.Row(r) {
			mu += float64(v)
		}
		mu /= float64(d)
		for _, v := range x.Row(r) {
			variance += (float64(v) - mu) * (float64(v) - mu)
		}
		std := math.Sqrt(variance/float64(d) + Eps)
		n.std = append(n.std, std)
		for i, v := range x.Row(r) {
			h := (float64(v) - mu) / std
			n.xhat = append(n.xhat, h)
			y.Row(r)[i] = float32(h * float64(n.Gain.Value.Data[i]))
		}
	}
	return y
}

func (n *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d := n.Gain.Value.Len()
	tensor.CheckShape("RMSNorm.Backward: dy", dy, n.like.Shape...)
	dx, dg := tensor.New(dy.Shape...), make([]float64, d)
	for r, std := range n.std {
		h := n.xhat[r*d : r*d+d]
		m1, m2 := 0.0, 0.0
		for i, v := range dy.Row(r) {
			dh := float64(v) * float64(n.Gain.Value.Data[i])
			m1 += dh / float64(d)
			m2 += dh * h[i] / float64(d)
			dg[i] += float64(v) * h[i]
		}
		for i, v := range dy.Row(r) {
			dh := float64(v) * float64(n.Gain.Value.Data[i])
			dx.Row(r)[i] = float32((dh - m1 - h[i]*m2) / std)
		}
	}
	for i := range dg {
		n.Gain.Grad.Data[i] += float32(dg[i])
	}
	return dx
}

func (n *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{n.Gain} }
