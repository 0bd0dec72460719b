package classic

import (
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Dropout sets numbers to 0 by chance, in training alone, and divides the others by the
// probability to be kept: so the mean stays what it is in evaluation.
//
// Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from
// Overfitting", 2014; the division in training, not in evaluation, is its section 10.
type Dropout struct {
	// Training is set by whoever trains, and may change between two calls. Without it
	// Forward and Backward return the numbers that they are given, and draw none.
	Training bool

	p   float64
	rng *rand.Rand

	// Yours: what Backward needs, and the tensors that are used again in every call.
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
// shape, and y has the same; x is not changed, and y is a tensor of the layer's own, valid
// until the next Forward.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: Dropout.Forward"))
}

// Backward takes dy, the gradient of the loss with respect to y, and returns dx, both of
// the shape of x:
//
//	dx_i = dy_i/(1 − p) where u_i ≥ p, else 0    with the u of the last Forward
//
// It draws nothing. If Training was not set in that Forward, dx has the numbers of dy,
// whatever Training is by now. dx is valid until the next Backward. It panics with a
// ShapeError if dy does not have the shape of y or no Forward came before.
func (d *Dropout) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: Dropout.Backward"))
}
