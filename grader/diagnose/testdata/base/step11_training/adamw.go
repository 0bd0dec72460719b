package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type AdamW struct {
	Beta1, Beta2, Eps, WeightDecay float64

	Params []*tensor.Param
	M, V   []*tensor.Tensor
	Steps  int
}

func NewAdamW(params []*tensor.Param, beta1, beta2, eps, weightDecay float64) *AdamW {
	opt := &AdamW{Beta1: beta1, Beta2: beta2, Eps: eps, WeightDecay: weightDecay, Params: params,
		M: make([]*tensor.Tensor, len(params)), V: make([]*tensor.Tensor, len(params))}
	for i := range params {
		shape := params[i].Value.Shape
		opt.M[i], opt.V[i] = tensor.New(shape...), tensor.New(shape...)
	}
	return opt
}

func (o *AdamW) Step(lr float64) {
	o.Steps++
	unbias1, unbias2 := 1/(1-math.Pow(o.Beta1, float64(o.Steps))), 1/(1-math.Pow(o.Beta2, float64(o.Steps)))
	for i := range o.Params {
		o.step(o.Params[i], o.M[i].Data, o.V[i].Data, lr, unbias1, unbias2)
	}
}

func (o *AdamW) step(p *tensor.Param, m, v []float32, lr, unbias1, unbias2 float64) {
	for j, w := range p.Value.Data {
		g := float64(p.Grad.Data[j])
		mean := float64(m[j]) + (1-o.Beta1)*(g-float64(m[j]))
		square := float64(v[j]) + (1-o.Beta2)*(g*g-float64(v[j]))
		m[j], v[j] = float32(mean), float32(square)
		direction := mean * unbias1 / (math.Sqrt(square*unbias2) + o.Eps)
		p.Value.Data[j] = float32(float64(w)*(1-lr*o.WeightDecay) - lr*direction)
	}
}
