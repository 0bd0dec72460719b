//go:build unlisted

package rmsnorm

// eps-of-other-models: Eps is 1e-6
//
// Why: Eps is 1e-5; rows of small numbers come out too large.
const Eps = 1e-6

// eps-before-the-mean: Eps is added to the sum of the squares, which is then divided by D
//
// Why: Eps is added to the mean; for rows around 0.001 r is too large.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt((kernel.SumSquares(xn)+Eps)/float64(len(g))))
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: a row with 1e20 in it comes out as zeros.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(float64(kernel.Dot(xn, xn))/float64(len(g))+Eps))
	}
}

// zero-row-without-r: a row of zeros gets r = 0, "to avoid the division"
//
// Why: r is 1/√Eps there, and dx is r·dh; here no gradient passes a row of zeros.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		squares, r := kernel.SumSquares(xn), float32(0)
		if squares > 0 {
			r = float32(1 / math.Sqrt(squares/float64(len(g))+Eps))
		}
	}
}

// gain-before-r: the row is multiplied by the gain first and by r afterwards
//
// Why: the row (1e37, …) with a gain of 100 overflows to +Inf on the way; x·r·g is about 100.
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
	} else {
		kernel.Mul(yn, xn, g)
		kernel.Scale(r, yn)
	}
}

// r-of-all-rows: one r for the whole tensor
//
// Why: every row has its own r.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(x.Data)/float64(len(x.Data))+Eps))
	}
}

// mean-by-rows: the mean of the squares is taken over the first dimension of x
//
// Why: the sum is divided by D, whatever the number of rows.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(x.Dim(0))+Eps))
	}
}

// r-kept-for-the-same-x: r is not computed again if x is the tensor of the last call
//
// Why: the layer below writes new numbers into the same tensor every step; y then has the old r.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	known := l.x == x && len(l.r) == x.Rows()
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		if !known {
			l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		}
		kernel.ScaleTo(yn, l.r[n], xn)
		kernel.Mul(yn, yn, g)
	}
	return l.y
}

// r-never-shorter: the r of the rows are made anew only for more rows than before
//
// Why: a smaller batch after a large one panics, because r still has an entry for every row of the large one.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		if len(l.r) < x.Rows() {
			l.r = make([]float32, x.Rows())
		}
	}
}

// normalised-in-place: keeps a copy of x and writes y over x itself
//
// Why: x is not changed, says the comment; and y must have memory of its own.
func (*RMSNorm) Forward() {
	if right {
		l.x = x
		l.y = tensor.Reuse(l.y, x.Shape...)
	} else {
		l.x = x.Clone()
		l.y = x
	}
}

// several-rows-as-one-accepted: asks only whether the elements of x divide into rows of D
//
// Why: an x whose last dimension is 2·D is normalised as twice as many rows; it must be refused with a ShapeError.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	if x == nil || len(x.Data)%max(1, len(g)) != 0 {
		panic(tensor.ShapeError{Op: "RMSNorm.Forward: x", Want: []int{tensor.Lead, len(g)}})
	}
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	rows := len(x.Data) / max(1, len(g))
	l.r = slices.Grow(l.r[:0], rows)[:rows]
	for n := range l.r {
		xn, yn := x.Data[n*len(g):(n+1)*len(g)], l.y.Data[n*len(g):(n+1)*len(g)]
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
		l.r[n] = r
	}
	return l.y
}

// gain-kept-at-new: New keeps the numbers of the gain, not only the Param
//
// Why: when the owner puts another tensor in gain.Value, the layer goes on with the old one.
type RMSNorm struct {
	Gain *tensor.Param // (D)

	g     []float32
	x     *tensor.Tensor // (…, D), what Forward was given
	r     []float32      // (N), 1/√(mean(x²) + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h, dh *tensor.Tensor
}

func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain, g: gain.Value.Data}
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

// nil-before-forward: asks for the shape of x without asking whether there is one
//
// Why: Backward before Forward must panic with a ShapeError; here Go reports a nil pointer.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
		tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	} else {
		tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	}
}

// dx-over-dy: dx takes the memory of dy
//
// Why: dy must not be changed; a second Backward with it gives something else.
func (*RMSNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = dy
	}
}

// h-from-y: the normalised row is won back from y by dividing by the gain
//
// Why: where a gain is 0 the row of dx and the gradient of the gain are NaN.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		_ = xn
		kernel.Div(h, l.y.Row(n), g)
	}
}

// dg-with-y: the gradient of the gain is dy ⊙ y
//
// Why: it is dy ⊙ h; the two differ where the gain is not 1.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, l.y.Row(n))
	}
}

// dg-of-the-last-row: every row overwrites the gradient of the gain
//
// Why: dg is the sum over all rows, added to what Gain.Grad held.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.Mul(dg, dyn, h)
	}
}

// dg-cleared: Backward begins with a gradient of zeros
//
// Why: what Gain.Grad held before stays in the sum.
func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		l.Gain.ZeroGrad()
		dg, h := l.Gain.Grad.Data, l.h.Data
	}
}

// mean-of-dy: the second term has the mean of dy ⊙ h
//
// Why: it has that of dh ⊙ h, with the gain in it.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// sum-for-mean: the second term of dx is not divided by D
//
// Why: dx is not at right angles to the row any more.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h)
	}
}

// r-cubed: the second term of dx is written with x and r³
//
// Why: for a row of 1e16 r³ is 0 in float32 and the term is gone, as the comment warns.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		mean := kernel.Dot(dh, xn) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*r*r*mean, xn, dxn)
	}
}

// r-used-up: Backward empties the list of r when it is done
//
// Why: a second Backward adds nothing to the gain and returns the dx of the first, whatever dy is.
func (*RMSNorm) Backward() {
	if right {
		return l.dx
	} else {
		l.r = l.r[:0]
		return l.dx
	}
}
