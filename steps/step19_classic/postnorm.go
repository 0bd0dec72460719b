package classic

import "github.com/stubformer/stubformer/reference/tensor"

// Layer has a forward and a backward pass: a norm, a feed-forward network, attention. What
// it returns is valid until its next call, and what it is given stays unchanged until its
// Backward.
type Layer interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
	Backward(dy *tensor.Tensor) *tensor.Tensor
}

// PostNorm puts a layer f into a block in the order of 2017: first the sum, then the norm,
//
//	y = Norm(x + f(x))
//
// where step 09 has y = x + f(Norm(x)).
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.1; Xiong et al.,
// "On Layer Normalization in the Transformer Architecture", 2020, figure 1 (a).
type PostNorm struct {
	F    Layer
	Norm Layer

	// Yours: the tensors that are used again in every call.
}

// NewPostNorm returns the layer for f and the norm behind the sum.
func NewPostNorm(f, norm Layer) *PostNorm { return &PostNorm{F: f, Norm: norm} }

// Forward computes y = Norm(x + f(x)), all of the same shape. Norm keeps the sum, so that
// needs memory of its own: neither x nor what F returns is changed. y is what Norm returns.
// It panics with a ShapeError if f(x) does not have the shape of x, and as F and Norm do.
func (p *PostNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: PostNorm.Forward"))
}

// Backward takes dy, the gradient of the loss with respect to y, returns dx of the same
// shape and lets F and Norm add to the gradients of their parameters. It belongs to the
// last Forward. What Norm and F return is left as it is. dx is valid until the next
// Backward. It panics as Norm does if dy does not have the shape of y or no Forward came
// before.
func (p *PostNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: PostNorm.Backward"))
}
