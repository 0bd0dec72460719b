package classic

import (
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Dropout sets numbers to 0 by chance, in training alone, and divides the others by the
// probability to be kept: so the mean stays what it is in evaluation.
//
// Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from
// Overfitting", 2014; the division in training, not in evaluation, is its section 10.
type Dropout struct {
	// Training is set by whoever trains. Without it Forward and Backward return the
	// numbers that they are given, and draw none.
	Training bool

	p     float64
	rng   *rand.Rand
	keep  *tensor.Tensor // the shape of x: 1/(1 − p) where a number is kept, else 0
	y, dx *tensor.Tensor // the shape of x, reused
}

// NewDropout returns the layer that sets a number to 0 with probability p, by what it
// draws from rng. It panics with a text that names p unless 0 ≤ p < 1.
func NewDropout(p float64, rng *rand.Rand) *Dropout {
	if !(p >= 0 && p < 1) {
		panic(fmt.Sprintf("classic.NewDropout: p is %g; want 0 ≤ p < 1", p))
	}
	return &Dropout{p: p, rng: rng}
}

// Forward draws one u = rng.Float64() for every number of x, in their order, and keeps
// those with u ≥ p:
//
//	y_i = x_i/(1 − p) where u_i ≥ p, else 0, whatever x_i is
//
// Where Training is not set y has the numbers of x, and nothing is drawn. x may have any
// shape, and y has the same. y is valid until the next Forward.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.keep = tensor.Reuse(d.keep, x.Shape...)
	kept := float32(1 / (1 - d.p))
	for i := range d.keep.Data {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
	d.y = tensor.Reuse(d.y, x.Shape...)
	through(d.y.Data, x.Data, d.keep.Data)
	return d.y
}

// through sets y to x ⊙ keep, and to 0 where keep is 0, whatever x is.
func through(y, x, keep []float32) {
	kernel.Mul(y, x, keep)
	for i, k := range keep {
		if k == 0 {
			y[i] = 0
		}
	}
}

// Backward takes dy, the gradient of the loss with respect to y, and returns dx, both of
// the shape of x. It draws nothing, and belongs to the last Forward, whatever Training is
// by now. dx is valid until the next Backward. It panics with a ShapeError if dy does not
// have the shape of y or no Forward came before.
func (d *Dropout) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (16) y is x times a number that does not depend on x:  dx_i = dy_i/(1 − p) where u_i ≥ p, else 0
	if d.y == nil {
		panic(tensor.ShapeError{Op: "Dropout.Backward: no Forward came before; dy", Got: dy.Shape})
	}
	tensor.CheckShape("Dropout.Backward: dy", dy, d.y.Shape...)
	d.dx = tensor.Reuse(d.dx, dy.Shape...)
	through(d.dx.Data, dy.Data, d.keep.Data) // (16)
	return d.dx
}
