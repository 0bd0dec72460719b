//go:build unlisted

package rmsnorm

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// eps-beside-root: Eps is added to the root and not under it
//
// Why: The divisor is √mean + Eps: small rows, and a row of zeros in Backward, are scaled by another factor.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps))
	}
}

// sum-not-mean: the squares are summed and not averaged
//
// Why: y is too small by √D, because the sum of the squares is not divided by D.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)+Eps))
	}
}

// eps-inside-mean: Eps is added to the sum before it is divided
//
// Why: Eps is divided by D as well: a row of small numbers is scaled too much.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt((kernel.SumSquares(xn)+Eps)/float64(len(g))))
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: The squares of numbers like 1e20 overflow: y becomes 0 where it should be about 1.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(float64(kernel.Dot(xn, xn))/float64(len(g))+Eps))
	}
}

// mean-subtracted: rows are centred first, as in LayerNorm
//
// Why: y is that of a LayerNorm without bias: the mean of the row is subtracted, which RMSNorm does not do.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
	} else {
		kernel.AddConst(yn, -kernel.Sum(xn)/float32(len(g)), xn)
		r := float32(1 / math.Sqrt(kernel.SumSquares(yn)/float64(len(g))+Eps))
		kernel.Scale(r, yn)
	}
}

// gain-plus-one: the gain is taken as 1 + g, as in Gemma
//
// Why: y is multiplied by 1 + g and not by g; the gradients fit that.
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
		copy(dh, dyn)
		kernel.MulAdd(dh, dyn, g)
	}
}

// one-factor-for-all-rows: the mean of the squares is taken over all of x
//
// Why: All rows are divided by the same number, so that the other rows of the batch change a row's y.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(x.Data)/float64(x.Len())+Eps))
	}
}

// zero-row-zero-factor: a row of zeros gets the factor 0
//
// Why: For a row of zeros dx is 0 where it should be dy ⊙ g/√Eps.
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		if kernel.SumSquares(xn) == 0 {
			r = 0
		}
		l.r[n] = r
	}
}

// second-term-missing: dx is only dh·r
//
// Why: dx leaves out that every x also changes r: the term with the mean of dh ⊙ h is missing.
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		_ = mean
	}
}

// second-term-added: the second term of dx has the wrong sign
//
// Why: In dx the term h·mean(dh ⊙ h) is added instead of subtracted.
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(r*mean, h, dxn)
	}
}

// second-term-sum: the second term of dx is not divided by D
//
// Why: In dx the sum of dh ⊙ h stands in the place of its mean.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h)
	}
}

// mean-without-gain: the mean in dx is that of dy ⊙ h
//
// Why: In the second term of dx the gain is missing: dy is multiplied by h where dh = dy ⊙ g should be.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// gain-gradient-with-x: the gain's gradient is dy ⊙ x
//
// Why: The gain's gradient is made of x and not of the normalised row: the factor r is missing.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, xn)
	}
}
