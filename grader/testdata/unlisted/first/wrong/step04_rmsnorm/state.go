//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// r-only-grows: the kept factors of the rows are never fewer than before
//
// Why: After a batch of many rows, Backward for one of fewer rows goes on to rows that are not there and panics.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	if len(l.r) < x.Rows() {
		l.r = make([]float32, x.Rows())
	}
	for n := range x.Rows() {
		xn, yn := x.Row(n), l.y.Row(n)
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
		l.r[n] = r
	}
	return l.y
}

// r-appended: the factors of the rows are appended to those of the last call
//
// Why: A second Forward goes through more rows than x has and panics.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		xn, yn := x.Row(n), l.y.Row(n)
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
		l.r = append(l.r, r)
	}
	return l.y
}

// r-of-package: the factors of the rows are kept in a variable of the package
//
// Why: When a second layer runs Forward in between, the first one's Backward works with the other layer's factors.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	if cap(factors) < x.Rows() {
		factors = make([]float32, x.Rows())
	}
	factors = factors[:x.Rows()]
	l.r = factors
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
		l.r[n] = r
	}
	return l.y
}

var factors []float32

// gain-copied-at-construction: New keeps a copy of the gain, which Forward and Backward use
//
// Why: A gain that is changed after New, as by an optimiser, has no effect.
func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain, g: gain.Value.Clone().Data}
}

type RMSNorm struct {
	Gain *tensor.Param // (D)

	g     []float32
	x     *tensor.Tensor
	r     []float32
	y, dx *tensor.Tensor
	h, dh *tensor.Tensor
}

func (*RMSNorm) Forward() {
	if right {
		g := l.Gain.Value.Data
	} else {
		g := l.g
	}
}

func (*RMSNorm) Backward() {
	if right {
		g := l.Gain.Value.Data
	} else {
		g := l.g
	}
}

// dx-made-once: dx is made by the first Backward and keeps its shape
//
// Why: A later Backward for another number of rows returns the shape of the first one's dx, or panics if there are more.
func (*RMSNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		if l.dx == nil {
			l.dx = tensor.New(l.x.Shape...)
		}
	}
}

// gradient-cleared-first: Gain.Grad is cleared before the rows are added
//
// Why: What Gain.Grad held before is lost: two Backwards leave the gradient of the second only.
func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		l.Gain.ZeroGrad()
		dg, h := l.Gain.Grad.Data, l.h.Data
	}
}

// y-of-package: all layers return the same y, a variable of the package
//
// Why: The Forward of a second layer overwrites the y that the first one returned.
func (*RMSNorm) Forward() {
	if right {
		l.y = tensor.Reuse(l.y, x.Shape...)
	} else {
		sharedY = tensor.Reuse(sharedY, x.Shape...)
		l.y = sharedY
	}
}

var sharedY *tensor.Tensor

// r-of-the-first-call: the factors are computed once for every number of rows
//
// Why: A second Forward with as many rows as the last uses the factors of the last x.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	if len(l.r) != x.Rows() {
		l.r = make([]float32, x.Rows())
		for n := range l.r {
			l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(x.Row(n))/float64(len(g))+Eps))
		}
	}
	for n, r := range l.r {
		yn := l.y.Row(n)
		kernel.ScaleTo(yn, r, x.Row(n))
		kernel.Mul(yn, yn, g)
	}
	return l.y
}
