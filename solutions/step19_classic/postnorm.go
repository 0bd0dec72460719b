package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Layer has a forward and a backward pass: a norm, a feed-forward network, attention. What
// it returns is valid until its next call.
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

	sum, dx *tensor.Tensor // the shape of x, reused
}

// NewPostNorm returns the layer for f and the norm behind the sum.
func NewPostNorm(f, norm Layer) *PostNorm { return &PostNorm{F: f, Norm: norm} }

// Forward computes y = Norm(x + f(x)), all of the same shape. F keeps x for its Backward:
// the caller leaves it unchanged until then. y belongs to Norm and is valid until its next
// Forward. What F returns is left as it is. It panics with a ShapeError if f(x) does not
// have the shape of x, and as F and Norm do.
func (p *PostNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	fx := p.F.Forward(x)
	tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
	p.sum = tensor.Reuse(p.sum, x.Shape...)
	kernel.Add(p.sum.Data, x.Data, fx.Data) // s = x + f(x)
	return p.Norm.Forward(p.sum)            // y = Norm(s)
}

// Backward takes dy, the gradient of the loss with respect to y, returns dx of the same
// shape and lets F and Norm add to the gradients of their parameters. It belongs to the
// last Forward. dx is valid until the next Backward. It panics as Norm does if dy does not
// have the shape of y or no Forward came before.
func (p *PostNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (17) y = Norm(s), s = x + f(x):    ds = Norm.Backward(dy)
	// (18) x reaches s directly, with derivative 1, and through f:  dx = ds + F.Backward(ds)
	// (19) So no term of dx passes by a norm: in a stack of L blocks the gradient
	//      goes through 2·L of them, where step 09 leaves a way through none.
	ds := p.Norm.Backward(dy) // (17)
	p.dx = tensor.Reuse(p.dx, ds.Shape...)
	kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data) // (18)
	return p.dx
}
