package early

import "github.com/stubformer/stubformer/reference/tensor"

// optimiser moves every number by the same length, in the direction that most of
// its last gradients point to:
//
//	p ← p − rate·sign(0.9·m + 0.1·g)        m ← 0.99·m + 0.01·g
//
// It is enough for small models. The optimiser that large ones need is step 11.
//
// Source: Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023.
type optimiser struct {
	params []*tensor.Param
	m      [][]float32
}

func newOptimiser(params []*tensor.Param) *optimiser {
	o := &optimiser{params: params}
	for _, p := range params {
		o.m = append(o.m, make([]float32, p.Value.Len()))
	}
	return o
}

// step updates every parameter.
func (o *optimiser) step(rate float64) {
	r := float32(rate)
	for i, p := range o.params {
		m := o.m[i]
		for j, g := range p.Grad.Data {
			switch towards := 0.9*m[j] + 0.1*g; {
			case towards > 0:
				p.Value.Data[j] -= r
			case towards < 0:
				p.Value.Data[j] += r
			}
			m[j] = 0.99*m[j] + 0.01*g
		}
	}
}
