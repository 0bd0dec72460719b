package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
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

	x        *tensor.Tensor // (…, D), what Forward was given
	pre, act *tensor.Tensor // (…, F): x W1ᵀ + b1, and the function of it
	y        *tensor.Tensor // (…, D), reused by every Forward
	dPre     *tensor.Tensor // (…, F), reused by every Backward
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
// x and y are (…, D). Forward keeps x for Backward: the caller leaves it unchanged until
// then. y is valid until the next Forward. It panics with a ShapeError if the last
// dimension of x is not D.
func (f *FeedForward) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("FeedForward.Forward: x", x, tensor.Lead, f.W1.Weight.Value.Dim(1))
	f.x = x
	f.pre = plus(f.pre, f.W1.Forward(x), f.B1) // (…, F)
	f.act = tensor.Reuse(f.act, f.pre.Shape...)
	f.Act.Forward(f.act.Data, f.pre.Data)
	f.y = plus(f.y, f.W2.Forward(f.act), f.B2) // (…, D)
	return f.y
}

// plus sets dst to x with the bias added to every row, and returns it.
func plus(dst, x *tensor.Tensor, bias *tensor.Param) *tensor.Tensor {
	dst = tensor.Reuse(dst, x.Shape...)
	for n := range x.Rows() {
		kernel.Add(dst.Row(n), x.Row(n), bias.Value.Data)
	}
	return dst
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It returns dx
// (…, D), adds to the gradients of the four parameters, and belongs to the last Forward.
// dx is valid until the next Backward. It panics with a ShapeError if dy does not have
// the shape of y or no Forward came before.
func (f *FeedForward) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Forward was pre = x W1ᵀ + b1, act = a(pre), y = act W2ᵀ + b2.
	// (9)  b2 is added to every row:                  db2  = Σ_n dy_n
	// (10) y is a Linear of act:                      dAct = dy W2
	// (11) act is an element-wise function of pre:    dPre = dAct ⊙ a'(pre)
	// (12) b1 is added to every row:                  db1  = Σ_n dPre_n
	// (13) pre is a Linear of x:                      dx   = dPre W1
	tensor.CheckShape("FeedForward.Backward: x of Forward", f.x, tensor.Lead, f.W1.Weight.Value.Dim(1))
	tensor.CheckShape("FeedForward.Backward: dy", dy, f.x.Shape...)
	addRows(f.B2.Grad, dy)    // (9)
	dAct := f.W2.Backward(dy) // (10), and the gradient of W2
	f.dPre = tensor.Reuse(f.dPre, dAct.Shape...)
	f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data) // (11)
	addRows(f.B1.Grad, f.dPre)                         // (12)
	return f.W1.Backward(f.dPre)                       // (13), and the gradient of W1
}

// addRows adds every row of x to sum.
func addRows(sum, x *tensor.Tensor) {
	for n := range x.Rows() {
		kernel.Axpy(1, x.Row(n), sum.Data)
	}
}
