package classic

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// FeedForward is the network y = act(x W1ᵀ + b1) W2ᵀ + b2: two projections with biases,
// and between them a function of every number by itself.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.3, with ReLU;
// Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, with GELU.
type FeedForward struct {
	W1  *linear.Linear // (F, D)
	B1  *tensor.Param  // (F)
	W2  *linear.Linear // (D, F)
	B2  *tensor.Param  // (D)
	Act Activation

	// Yours: what Backward needs, and the tensors that are used again in every call.
}

// NewFeedForward returns the network with the given weights, w1 (F, D) and w2 (D, F), and
// biases, b1 (F) and b2 (D). It keeps the Params and looks into them in every call, as
// NewLayerNorm does. It panics with a ShapeError if they do not fit together.
func NewFeedForward(w1, b1, w2, b2 *tensor.Param, act Activation) *FeedForward {
	tensor.CheckShape("classic.NewFeedForward: w1", w1.Value, tensor.Any, tensor.Any)
	f, d := w1.Value.Dim(0), w1.Value.Dim(1)
	tensor.CheckShape("classic.NewFeedForward: b1", b1.Value, f)
	tensor.CheckShape("classic.NewFeedForward: w2", w2.Value, d, f)
	tensor.CheckShape("classic.NewFeedForward: b2", b2.Value, d)
	return &FeedForward{W1: linear.New(w1), B1: b1, W2: linear.New(w2), B2: b2, Act: act}
}

// Params returns the parameters in the order w1, b1, w2, b2.
func (f *FeedForward) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.B1, f.W2.Weight, f.B2}
}

// Forward computes
//
//	y = act(x W1ᵀ + b1) W2ᵀ + b2
//
// x and y are (…, D), and a bias is added to every row. What the Linears return is theirs:
// leave it as it is, or remember that it changes with their next Forward. Forward keeps x
// for Backward: the caller leaves it unchanged until then. y is valid until the next
// Forward. It panics with a ShapeError if the last dimension of x is not D.
func (f *FeedForward) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: FeedForward.Forward"))
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It returns dx
// (…, D), adds to the gradients of the four parameters, and belongs to the last Forward.
// That of a bias is a sum over all rows. dx is valid until the next Backward. dy and x
// are not changed. It panics with a ShapeError if dy does not have the shape of y or no
// Forward came before.
func (f *FeedForward) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: FeedForward.Backward"))
}
