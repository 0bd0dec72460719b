//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// norm-before: the norm stands before f, as in step 09
//
// Why: x + f(Norm(x)) is the order of later models. This one has Norm(x + f(x)).
//
// Hint: Sum first, norm last.
func (*PostNorm) Forward() {
	if right {
		fx := p.F.Forward(x)
		tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, x.Data, fx.Data)
		return p.Norm.Forward(p.sum)
	} else {
		fx := p.F.Forward(p.Norm.Forward(x))
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, x.Data, fx.Data)
		return p.sum
	}
}

// norm-before/derivative-too
//
// With: norm-before
func (*PostNorm) Backward() {
	if right {
		ds := p.Norm.Backward(dy)
		p.dx = tensor.Reuse(p.dx, ds.Shape...)
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data)
	} else {
		dn := p.Norm.Backward(p.F.Backward(dy))
		p.dx = tensor.Reuse(p.dx, dy.Shape...)
		kernel.Add(p.dx.Data, dy.Data, dn.Data)
	}
}

// sum-of-normalised: f and the sum both take the normalised x
//
// Why: Norm(x) + f(Norm(x)) loses x: what goes past f is not x any more.
//
// Hint: x + f(x), and then the norm.
func (*PostNorm) Forward() {
	if right {
		fx := p.F.Forward(x)
		tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, x.Data, fx.Data)
		return p.Norm.Forward(p.sum)
	} else {
		n := p.Norm.Forward(x)
		fx := p.F.Forward(n)
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, n.Data, fx.Data)
		return p.sum
	}
}

// norm-of-branch: only f(x) is normalised, and x is added behind
//
// Why: x + Norm(f(x)) is an order of its own, of later models.
//
// Hint: Norm(x + f(x)).
func (*PostNorm) Forward() {
	if right {
		fx := p.F.Forward(x)
		tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, x.Data, fx.Data)
		return p.Norm.Forward(p.sum)
	} else {
		fx := p.Norm.Forward(p.F.Forward(x))
		p.sum = tensor.Reuse(p.sum, x.Shape...)
		kernel.Add(p.sum.Data, x.Data, fx.Data)
		return p.sum
	}
}

// sum-missing: x is not added
//
// Why: Norm(f(x)) has no way past f.
//
// Hint: x + f(x).
func (*PostNorm) Forward() {
	if right {
		kernel.Add(p.sum.Data, x.Data, fx.Data)
	} else {
		copy(p.sum.Data, fx.Data)
	}
}

// norm-missing: there is no norm
//
// Why: x + f(x) grows from layer to layer.
//
// Hint: Norm(x + f(x)).
func (*PostNorm) Forward() {
	if right {
		return p.Norm.Forward(p.sum)
	} else {
		p.Norm.Forward(p.sum)
		return p.sum
	}
}

// dx-branch-alone: dx has the way through f alone
//
// Why: x reaches the sum by itself as well.
//
// Hint: dx = ds + F.Backward(ds).
func (*PostNorm) Backward() {
	if right {
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data)
	} else {
		copy(p.dx.Data, p.F.Backward(ds).Data)
	}
}

// dx-past-f: dx has the way past f alone
//
// Why: x reaches the sum through f as well.
//
// Hint: dx = ds + F.Backward(ds).
func (*PostNorm) Backward() {
	if right {
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data)
	} else {
		p.F.Backward(ds)
		copy(p.dx.Data, ds.Data)
	}
}

// dx-past-norm: dy goes past the norm to the sum
//
// Why: In this order there is no way past the norm.
//
// Hint: ds = Norm.Backward(dy), and dx = ds + F.Backward(ds).
func (*PostNorm) Backward() {
	if right {
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data)
	} else {
		kernel.Add(p.dx.Data, dy.Data, p.F.Backward(ds).Data)
	}
}

// f-without-norm: F is given dy, and not what comes out of the norm
//
// Why: The sum stands before the norm.
//
// Hint: F.Backward(ds), with ds = Norm.Backward(dy).
func (*PostNorm) Backward() {
	if right {
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(ds).Data)
	} else {
		kernel.Add(p.dx.Data, ds.Data, p.F.Backward(dy).Data)
	}
}
