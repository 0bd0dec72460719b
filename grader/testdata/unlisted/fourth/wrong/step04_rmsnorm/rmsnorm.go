//go:build unlisted

package rmsnorm

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// backward-cubes-r-in-float32: dx is r·dh - r³·x·mean(dh ⊙ x), as the derivation has it on the way
//
// Why: for rows of ordinary size it is the same; in a row of the size 1e16, r³ is no float32 any more, the second term
// vanishes and dx is r·dh.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		mean := kernel.Dot(dh, xn) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-mean*(r*r*r), xn, dxn)
	}
}

// backward-divides-y-by-the-gain: h is not computed again but taken back from y, as y/g
//
// Why: where a gain is 0, h is 0/0, and dx and dg of every row are NaN; and y belongs to the caller after Forward.
func (*RMSNorm) Backward() {
	if right {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
		kernel.ScaleTo(h, r, xn)
	} else {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		kernel.Div(h, l.y.Row(n), g)
	}
}

// backward-projects-exactly: the part of dh along h is dh·h/(h·h), as if h had the mean square 1
//
// Why: Eps makes the mean square of h smaller than 1; for rows of the size 0.003 it is a half, and dx loses twice what it
// should. Rows of ordinary size differ by a few parts in a million.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := float32(0)
		if hh := kernel.SumSquares(h); hh > 0 {
			mean = float32(float64(kernel.Dot(dh, h)) / hh)
		}
	}
}

// backward-borrows-the-rows-of-x: x is scaled to h in place and scaled back when the row is done
//
// Why: x·r/r is not always x: after Backward some entries of the caller's x are off in the last digit, and a row beyond
// 1e38 or so by more. x has to stay as it is.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		kernel.Scale(r, xn)
		h = xn
	}
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(-r*mean, h, dxn)
		kernel.Scale(1/r, xn)
	}
}

// forward-counts-two-leading-dimensions: the number of rows is the product of at most two dimensions before the last
//
// Why: (D), (N, D) and (B, T, D) are right; of (B, T, H, D) only the first B·T rows are normalised, the others hold what the
// memory held.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		rows := 1
		for _, d := range x.Shape[:min(2, len(x.Shape)-1)] {
			rows *= d
		}
		l.r = slices.Grow(l.r[:0], rows)[:rows]
	}
}

// the-normalised-rows-are-kept-in-the-package: Forward keeps h for Backward in a variable that all layers share
//
// Why: with two layers, as every block has, the Forward of the second overwrites the h that the Backward of the first needs.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
		normalised = slices.Grow(normalised[:0], x.Len())[:x.Len()]
	}
	if right {
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
	} else {
		h := normalised[n*len(g) : (n+1)*len(g)]
		kernel.ScaleTo(h, r, xn)
		kernel.Mul(yn, h, g)
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		if len(normalised) >= l.x.Len() {
			copy(h, normalised[n*len(g):])
		} else {
			kernel.ScaleTo(h, r, xn)
		}
	}
}

var normalised []float32

// forward-takes-any-multiple-of-the-width: x is refused only if it cannot be cut into rows of D numbers
//
// Why: x (3, 8) is a mistake where D is 4; here it is read as six rows and accepted, by Backward as well.
func (*RMSNorm) Forward() {
	if right {
		tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
		l.x = x
		l.y = tensor.Reuse(l.y, x.Shape...)
	} else {
		tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, tensor.Any)
		if x.Dim(-1)%max(1, len(g)) != 0 || x.Dim(-1) < len(g) {
			panic(tensor.ShapeError{Op: "RMSNorm.Forward: x", Got: slices.Clone(x.Shape), Want: []int{tensor.Lead, len(g)}})
		}
		if x.Dim(-1) != len(g) {
			x = x.Reshape(-1, len(g))
		}
		l.x = x
		l.y = tensor.Reuse(l.y, x.Shape...)
	}
}

// forward-hides-a-nan: a mean of squares that is no number counts as 0
//
// Why: r_n of a row with a NaN is NaN, so all of y's row is; here only the one entry is, and its neighbours are large
// numbers that look like activations.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		ms := kernel.SumSquares(xn) / float64(len(g))
		if !(ms > 0) {
			ms = 0
		}
		r := float32(1 / math.Sqrt(ms+Eps))
	}
}

// squares-are-summed-in-blocks-of-256: rows longer than a block are summed block by block, and what is left over is lost
//
// Why: up to D = 256 and for its multiples r is right; for D = 320 the last 64 squares are missing.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		const block = 256
		sum := 0.0
		if len(xn) < block {
			sum = kernel.SumSquares(xn)
		}
		for rest := xn; len(rest) >= block; rest = rest[block:] {
			sum += kernel.SumSquares(rest[:block])
		}
		r := float32(1 / math.Sqrt(sum/float64(len(g))+Eps))
	}
}

// new-remembers-a-gain-of-ones: a layer whose gain is all ones in New leaves the multiplication out, for ever
//
// Why: the gain of step 01 is all ones, and the first update of the optimiser changes it: from then on y and dx are those of
// the old gain.
type RMSNorm struct {
	Gain *tensor.Param // (D)

	plain bool           // the gain changes nothing
	x     *tensor.Tensor // (…, D), what Forward was given
	r     []float32      // (N), 1/√(mean(x²) + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h, dh *tensor.Tensor
}

func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	plain := !slices.ContainsFunc(gain.Value.Data, func(g float32) bool { return g != 1 })
	return &RMSNorm{Gain: gain, plain: plain}
}

func (*RMSNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
	} else {
		if !l.plain {
			kernel.Mul(yn, yn, g)
		}
	}
}

func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		if copy(dh, dyn); !l.plain {
			kernel.Mul(dh, dyn, g)
		}
	}
}
