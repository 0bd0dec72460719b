package classic

import (
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Dropout keeps a bit for every number, or nothing where nothing is dropped.
type Dropout struct {
	Training bool

	p     float64
	rng   *rand.Rand
	shape []int
	kept  []bool // nil: all
}

// NewDropout returns the layer.
func NewDropout(p float64, rng *rand.Rand) *Dropout {
	if !(p >= 0 && p < 1) {
		panic(fmt.Sprintf("classic.NewDropout: p is %g; want 0 ≤ p < 1", p))
	}
	return &Dropout{p: p, rng: rng}
}

// Forward returns a new tensor.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.shape, d.kept = append([]int{}, x.Shape...), nil
	if d.Training {
		d.kept = make([]bool, x.Len())
		for i := range d.kept {
			d.kept[i] = !(d.rng.Float64() < d.p)
		}
	}
	return d.pass(x)
}

// pass divides what is kept by 1 − p.
func (d *Dropout) pass(x *tensor.Tensor) *tensor.Tensor {
	y := x.Clone()
	if d.kept == nil {
		return y
	}
	for i, kept := range d.kept {
		if kept {
			y.Data[i] = float32(float64(x.Data[i]) / (1 - d.p))
		} else {
			y.Data[i] = 0
		}
	}
	return y
}

// Backward lets pass what Forward let pass.
func (d *Dropout) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if d.shape == nil {
		panic(tensor.ShapeError{Op: "Dropout.Backward without a Forward", Got: dy.Shape})
	}
	tensor.CheckShape("Dropout.Backward: dy", dy, d.shape...)
	return d.pass(dy)
}
