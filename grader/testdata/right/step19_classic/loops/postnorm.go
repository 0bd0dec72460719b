package classic

import "github.com/stubformer/stubformer/reference/tensor"

// Layer has two passes.
type Layer interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
	Backward(dy *tensor.Tensor) *tensor.Tensor
}

// PostNorm keeps nothing: both passes begin with a copy.
type PostNorm struct{ F, Norm Layer }

// NewPostNorm returns the layer.
func NewPostNorm(f, norm Layer) *PostNorm { return &PostNorm{f, norm} }

// Forward adds x to a copy of f(x).
func (p *PostNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	fx := p.F.Forward(x)
	tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
	return p.Norm.Forward(sum(fx, x))
}

// Backward adds what came past f to a copy of what came through it.
func (p *PostNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	ds := p.Norm.Backward(dy).Clone()
	return sum(p.F.Backward(ds), ds)
}

func sum(a, b *tensor.Tensor) *tensor.Tensor {
	out := a.Clone()
	for i, v := range b.Data {
		out.Data[i] += v
	}
	return out
}
