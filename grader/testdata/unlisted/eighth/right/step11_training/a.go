//go:build unlisted

package training

import "math"

// adamw-in-one-loop: a plain loop in float64, one parameter after the other
//
// Why: one of the published forms; every line in float64 and rounded once.
func (o *AdamW) Step(lr float64) {
	o.Steps++
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	for i, param := range o.Params {
		m, v := o.M[i].Data, o.V[i].Data
		for j, gradient := range param.Grad.Data {
			g := float64(gradient)
			mj := o.Beta1*float64(m[j]) + (1-o.Beta1)*g
			vj := o.Beta2*float64(v[j]) + (1-o.Beta2)*g*g
			m[j], v[j] = float32(mj), float32(vj)
			p := float64(param.Value.Data[j])
			p -= lr * o.WeightDecay * p
			p -= lr * (mj / bias1) / (math.Sqrt(vj/bias2) + o.Eps)
			param.Value.Data[j] = float32(p)
		}
	}
}
