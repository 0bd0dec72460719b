//go:build unlisted

package rmsnorm

// eps-outside-the-root: Eps is added to the root and not to the mean of the squares
//
// Why: small rows come out another size; the lesson's row 1 gives 1.3357 and not 0.7746.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps))
	}
}

// eps-as-a-floor: Eps is the least mean square and not added to it
//
// Why: a row with a mean square near 1e-5 is off by up to the factor √2.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(max(kernel.SumSquares(xn)/float64(len(g)), Eps)))
	}
}

// mean-of-dy-h: the mean in dx is taken with dy and without the gain
//
// Why: right only where the gain is 1; a finite difference differs.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// dg-with-x: the gain's gradient collects dy ⊙ x and not dy ⊙ h
//
// Why: y = h ⊙ g, so the normalised row belongs there; a finite difference of g differs.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, xn)
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: a row of 1e20 overflows and comes out as zeros, which the contract excludes.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(float64(kernel.Dot(xn, xn))/float64(len(g))+Eps))
	}
}

// r-cubed: the second term of dx is r³·x·mean(dh ⊙ x) in float32
//
// Why: a row of 1e16 has an r³ of 0 in float32, and the second term is gone; the stub forbids it.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		mean := kernel.Dot(dh, xn) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-(r*r*r)*mean, xn, dxn)
	}
}

// dg-divided-by-rows: the gain's gradient is averaged over the rows
//
// Why: it is a sum over all rows; the mean is in the loss already.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		for i := range dg {
			dg[i] += dyn[i] * h[i] / float32(len(l.r))
		}
	}
}

// r-shared-by-all-layers: the memory of r belongs to the package
//
// Why: two layers in a row overwrite each other's r: Forward of both, then Backward of the first, gives a wrong dx.
var rs []float32

func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		rs = slices.Grow(rs[:0], x.Rows())[:x.Rows()]
		l.r = rs
	}
}

// r-never-shrinks: r is only made anew if it is too short
//
// Why: after a larger batch, Backward of a smaller one walks over rows that are not there and panics.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
		for n := range l.r {
			xn, yn := x.Row(n), l.y.Row(n)
			r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
			kernel.ScaleTo(yn, r, xn)
			kernel.Mul(yn, yn, g)
			l.r[n] = r
		}
	} else {
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
	}
}

// dh-into-dy: dh = dy ⊙ g is computed in the caller's dy
//
// Why: dy must not change; a second Backward with the same dy multiplies by the gain twice.
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		dh = dyn
		kernel.Mul(dh, dyn, g)
	}
}

// h-from-y: Backward takes the normalised row from y by dividing the gain out
//
// Why: a gain of 0 gives 0/0: NaN in dx and in the gain's gradient.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		kernel.Div(h, l.y.Row(n), g)
		_ = xn
	}
}
