//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// eps-as-a-floor: Eps is the smallest mean square instead of being added to it
//
// Why: a row of mean square 5e-6 is divided by √1e-5, not by √1.5e-5.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(max(kernel.SumSquares(xn)/float64(len(g)), Eps)))
	}
}

// eps-of-another-model: Eps is 1e-6
//
// Why: the lesson and the stub say 1e-5; small rows come out up to three times too large.
const Eps = 1e-6

// gain-gradient-from-y: dg collects dy ⊙ y instead of dy ⊙ h
//
// Why: y holds the gain once more; right only where the gain is 1.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, l.y.Row(n))
	}
}

// mean-without-the-gain: the second term of dx takes the mean of dy ⊙ h instead of dh ⊙ h
//
// Why: right only where the gain is 1; a finite difference of the loss differs.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// h-from-y: Backward gets the normalised row back as y/g
//
// Why: a gain of 0 makes h 0/0, and dx and dg are NaN where they have a value.
func (*RMSNorm) Backward() {
	if right {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
		kernel.ScaleTo(h, r, xn)
	} else {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		kernel.Div(h, l.y.Row(n), g)
	}
}

// r-never-shrinks: the memory of r keeps the length of the largest batch so far
//
// Why: after a large and a small Forward, Backward walks over rows that the small batch does not have.
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

// x-normalised-in-place: Forward turns x itself into h
//
// Why: x is not changed, says the contract; a residual connection adds the wrong x afterwards.
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
	} else {
		kernel.Scale(r, xn)
		kernel.Mul(yn, xn, g)
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		copy(h, xn)
	}
}

// dy-only-width-checked: Backward looks only at the last dimension of dy
//
// Why: a dy of more rows or other leading dimensions than y is accepted and partly ignored; it must panic.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	} else {
		tensor.CheckShape("RMSNorm.Backward: dy", dy, tensor.Lead, len(g))
	}
}

// dx-in-dy: dx is computed in the memory of dy and dy is returned
//
// Why: dy is not changed, says the contract; the caller's gradient is gone and a second Backward differs.
func (*RMSNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = dy
	}
}

// zero-row-without-gradient: a row of zeros gets r = 0 instead of 1/√Eps
//
// Why: y is right, but dx of that row is dh/√Eps and comes out as 0.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(0)
		if squares := kernel.SumSquares(xn); squares != 0 {
			r = float32(1 / math.Sqrt(squares/float64(len(g))+Eps))
		}
	}
}
