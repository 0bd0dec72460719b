package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// AdamW takes its steps in float64, with the corrected rate of the end of
// section 2 of Kingma and Ba, where ε stands beside the uncorrected root, and
// decays last.
type AdamW struct {
	Beta1, Beta2, Eps, WeightDecay float64

	Params []*tensor.Param
	M, V   []*tensor.Tensor
	Steps  int
}

func NewAdamW(params []*tensor.Param, beta1, beta2, eps, weightDecay float64) *AdamW {
	o := &AdamW{Beta1: beta1, Beta2: beta2, Eps: eps, WeightDecay: weightDecay, Params: params}
	for _, p := range params {
		o.M = append(o.M, tensor.New(p.Value.Shape...))
		o.V = append(o.V, tensor.New(p.Value.Shape...))
	}
	return o
}

func (o *AdamW) Step(lr float64) {
	o.Steps++
	t := float64(o.Steps)
	rate := lr * math.Sqrt(1-math.Pow(o.Beta2, t)) / (1 - math.Pow(o.Beta1, t))
	for i, param := range o.Params {
		for j, grad := range param.Grad.Data {
			g := float64(grad)
			m := float64(o.M[i].Data[j]) + (1-o.Beta1)*(g-float64(o.M[i].Data[j]))
			v := o.Beta2*float64(o.V[i].Data[j]) + (1-o.Beta2)*(g*g)
			p := float64(param.Value.Data[j])
			p -= rate * m / (math.Sqrt(v) + o.Eps)
			p -= lr * o.WeightDecay * p
			o.M[i].Data[j], o.V[i].Data[j], param.Value.Data[j] = float32(m), float32(v), float32(p)
		}
	}
}
