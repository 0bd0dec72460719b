//go:build unlisted

package rmsnorm

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// dx-in-memory-of-y: dx is written over the y that Forward returned
//
// Why: y should be valid until the next Forward, but it dies at Backward, which returns the same tensor as dx.
func (*RMSNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = l.y
	}
}

// x-normalised-in-place: Forward writes the normalised rows into x
//
// Why: the caller's x becomes h = x·r; y, dx and dg are right, but x should not be changed.
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

// own-dg-never-cleared: the sum for the gain's gradient goes on from one Backward to the next
//
// Why: dg is summed in a buffer of the layer that is not cleared, and then added to Gain.Grad: the second Backward adds
// the first one's gradient again.
func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		l.dg = tensor.Reuse(l.dg, len(g))
		dg, h := l.dg.Data, l.h.Data
	}
	if right {
		return l.dx
	} else {
		kernel.Add(l.Gain.Grad.Data, l.Gain.Grad.Data, dg)
		return l.dx
	}
}

type RMSNorm struct {
	Gain *tensor.Param

	x     *tensor.Tensor
	r     []float32
	y, dx *tensor.Tensor
	h, dh *tensor.Tensor
	dg    *tensor.Tensor
}

// rows-from-the-first-dimension: number of rows is x.Dim(0)
//
// Why: right for x (N, D); of x (B, T, D) only the first B of the B·T rows are written, in y as in dx, and x (D) panics.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		l.r = slices.Grow(l.r[:0], x.Dim(0))[:x.Dim(0)]
	}
}

// odd-last-square-missing: squares are summed in pairs and the last one is left out if D is odd
//
// Why: the mean still divides by D but lacks x_D² for an odd D, so r and y are too large; with D = 1 the sum is 0.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		squares := 0.0
		for j := 0; j+1 < len(xn); j += 2 {
			squares += float64(xn[j])*float64(xn[j]) + float64(xn[j+1])*float64(xn[j+1])
		}
		r := float32(1 / math.Sqrt(squares/float64(len(g))+Eps))
	}
}

// squares-run-on: the sum of squares is not set back to 0 between rows
//
// Why: row n is divided by the root of the squares of rows 0 to n together; only the first row is right.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
		squares := 0.0
	}
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		squares += kernel.SumSquares(xn)
		r := float32(1 / math.Sqrt(squares/float64(len(g))+Eps))
	}
}

// sum-and-not-mean: rows are divided by the root of the sum of their squares
//
// Why: r = 1/√(Σx² + Eps) without the 1/D: y is too small by √D; Backward sums dh ⊙ h without 1/D too, which is the
// derivative of this wrong formula.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)+Eps))
	}
}

func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h)
	}
}

// mean-of-absolute-values: rows are divided by the mean of their absolute values
//
// Why: r = 1/(mean|x| + Eps) and not 1/√(mean(x²) + Eps); Backward subtracts sign(x)·mean(dh ⊙ h), which is the
// derivative of this wrong formula.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		sum := 0.0
		for _, v := range xn {
			sum += math.Abs(float64(v))
		}
		r := float32(1 / (sum/float64(len(g)) + Eps))
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		for i, v := range xn {
			if v > 0 {
				dxn[i] -= r * mean
			} else if v < 0 {
				dxn[i] += r * mean
			}
		}
	}
}

// gain-before-the-norm: the gain multiplies the row before it is normalised
//
// Why: y is x ⊙ g divided by the root mean square of x ⊙ g instead of x's: a gain of 2 everywhere changes nothing.
// Backward is the derivative of this wrong formula.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
	} else {
		kernel.Mul(yn, xn, g)
		r := float32(1 / math.Sqrt(kernel.SumSquares(yn)/float64(len(g))+Eps))
		kernel.Scale(r, yn)
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
		kernel.MulAdd(dg, dyn, h)
		kernel.Mul(dh, dyn, g)
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		_ = dh
		kernel.Mul(h, xn, g)
		kernel.Scale(r, h)
		mean := kernel.Dot(dyn, h) / float32(len(g))
		copy(dxn, dyn)
		kernel.Axpy(-mean, h, dxn)
		kernel.Scale(r, dxn)
		kernel.MulAdd(dg, dxn, xn)
		kernel.Mul(dxn, dxn, g)
	}
}

// fast-inverse-root: r is the fast inverse square root with one Newton step
//
// Why: the trick with the bits is off by up to 0.17 %, and so is every y; nothing else in the formula is wrong, and
// Backward is the right one with this r.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		m := kernel.SumSquares(xn)/float64(len(g)) + Eps
		root := math.Float64frombits(0x5fe6eb50c7b537a9 - math.Float64bits(m)>>1)
		r := float32(root * (1.5 - 0.5*m*root*root))
	}
}

// eps-as-lower-bound: mean of the squares is replaced by Eps where it is smaller, instead of Eps being added
//
// Why: r = 1/√max(mean(x²), Eps): rows of ordinary size hardly differ, rows around 0.003 come out up to 41 % too large.
// Backward has the right formula, which for rows below Eps is not the derivative of this.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(max(kernel.SumSquares(xn)/float64(len(g)), Eps)))
	}
}

// dg-with-the-gain-in-it: gain's gradient is the sum of dy ⊙ g ⊙ h
//
// Why: dg multiplies h with dh = dy ⊙ g instead of dy, so it has a factor g too much; with a gain of ones nothing is wrong.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
		kernel.Mul(dh, dyn, g)
	} else {
		kernel.Mul(dh, dyn, g)
		kernel.MulAdd(dg, dh, h)
	}
}

// h-from-y-over-gain: Backward gets the normalised row as y/g
//
// Why: h = y/g is right unless a gain is 0: there it is 0/0, and dg and the whole row of dx become NaN.
func (*RMSNorm) Backward() {
	if right {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
		kernel.ScaleTo(h, r, xn)
	} else {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		kernel.Div(h, l.y.Row(n), g)
	}
}
