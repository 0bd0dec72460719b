//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// r-of-largest-batch: list of r keeps the length of the largest batch so far
//
// Why: after a smaller batch Backward goes through rows that are no longer there and panics.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		if len(l.r) < x.Rows() {
			l.r = make([]float32, x.Rows())
		}
	}
	if right {
		for n := range l.r {
			xn, yn := x.Row(n), l.y.Row(n)
			r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
			kernel.ScaleTo(yn, r, xn)
			kernel.Mul(yn, yn, g)
			l.r[n] = r
		}
	} else {
		for n := range x.Rows() {
			xn, yn := x.Row(n), l.y.Row(n)
			r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
			kernel.ScaleTo(yn, r, xn)
			kernel.Mul(yn, yn, g)
			l.r[n] = r
		}
	}
}

// dy-times-gain-in-place: dy is multiplied by the gain in its own memory
//
// Why: after Backward the dy of the caller is dy ⊙ g.
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		kernel.Mul(dyn, dyn, g)
		copy(dh, dyn)
	}
}

// one-y-for-all-norms: y is a variable of the package
//
// Why: a Forward of one norm overwrites what another norm returned.
func (*RMSNorm) Forward() {
	if right {
		l.y = tensor.Reuse(l.y, x.Shape...)
	} else {
		scratch = tensor.Reuse(scratch, x.Shape...)
		l.y = scratch
	}
}

var scratch *tensor.Tensor

// no-forward-unchecked: Backward does not ask whether there was a Forward
//
// Why: Backward before any Forward fails with a nil pointer and not with a ShapeError.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	} else {
	}
}

// any-multiple-of-d: only the number of elements of x is checked
//
// Why: an x whose last dimension is 2·D is cut into rows of D and normalised; it should panic.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	if x.Len()%len(g) != 0 {
		panic(tensor.ShapeError{Op: "RMSNorm.Forward: x", Got: x.Shape, Want: []int{tensor.Lead, len(g)}})
	}
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.r = make([]float32, x.Len()/len(g))
	for n := range l.r {
		xn, yn := x.Data[n*len(g):(n+1)*len(g)], l.y.Data[n*len(g):(n+1)*len(g)]
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, l.r[n], xn)
		kernel.Mul(yn, yn, g)
	}
	return l.y
}

// eps-outside-root: Eps is added to the root and not to the mean
//
// Why: rows of small numbers come out too large; the smaller they are the more.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps))
	}
}

// squares-in-float32: squares are summed in float32
//
// Why: a row with numbers of 1e20 has an infinite sum and comes out as zeros.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(float64(kernel.Dot(xn, xn))/float64(len(g))+Eps))
	}
}

// gain-plus-one: rows are multiplied by 1 + g
//
// Why: a gain of 1 doubles every row, as if the gain were stored as its distance from 1.
func (*RMSNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
	} else {
		kernel.MulAdd(yn, yn, g)
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		kernel.Mul(dh, dyn, g)
		kernel.Add(dh, dh, dyn)
	}
}

// gain-gradient-with-x: gain's gradient multiplies dy with x and not with the normalised row
//
// Why: dg lacks the factor r, so it grows with the size of x.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, xn)
	}
}

// mean-without-gain: mean in dx is of dy ⊙ h, without the gain
//
// Why: dx is right for a fresh gain of ones and wrong for any other.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// last-r-for-all: Backward uses the last row's r for all rows
//
// Why: with one row everything is right; with several all but the last have the wrong dx and dg.
func (*RMSNorm) Backward() {
	if right {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
	} else {
		r = l.r[len(l.r)-1]
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
	}
}
