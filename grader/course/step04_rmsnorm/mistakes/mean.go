//go:build mistake

package rmsnorm

// sum-for-mean: the squares are summed and not divided by D
//
// Why: Divided by its length, a row has a root mean square of 1/√D. Then what the next layer sees
// shrinks as the model grows wider.
//
// Hint: Divide the sum of the squares by D before the root.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)+Eps))
	}
}

// sum-for-mean/derivative-too
//
// With: sum-for-mean
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h)
	}
}

// sum-for-mean/forward-only
//
// With: sum-for-mean
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// d-minus-one: the sum of the squares is divided by D − 1
//
// Why: D − 1 corrects the estimate of a variance for the mean that was subtracted. Nothing is
// subtracted and nothing estimated here.
//
// Hint: Divide by D, the number of elements in the row.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g)-1)+Eps))
	}
}

// d-minus-one/derivative-too
//
// With: d-minus-one
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h) / float32(len(g)-1)
	}
}

// d-minus-one/forward-only
//
// With: d-minus-one
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// mean-subtracted: the row's mean is subtracted first, as LayerNorm does
//
// Why: RMSNorm leaves the mean alone. That is what it saves over LayerNorm, and its authors found
// nothing lost.
//
// Hint: Only one statistic of the row is needed: the mean of its squares.
func (*RMSNorm) Forward() {
	if right {
		l.x = x
	} else {
		centred := x.Clone()
		for n := range x.Rows() {
			mean := 0.0
			for _, v := range x.Row(n) {
				mean += float64(v) / float64(len(g))
			}
			for i := range x.Row(n) {
				centred.Row(n)[i] -= float32(mean)
			}
		}
		x, l.x = centred, x
	}
}

// mean-subtracted/kept: the row's mean is subtracted first, as LayerNorm does, and the shifted row
// is kept for the derivative
func (*RMSNorm) Forward() {
	if right {
		l.x = x
	} else {
		centred := x.Clone()
		for n := range x.Rows() {
			mean := 0.0
			for _, v := range x.Row(n) {
				mean += float64(v) / float64(len(g))
			}
			for i := range x.Row(n) {
				centred.Row(n)[i] -= float32(mean)
			}
		}
		x = centred
		l.x = x
	}
}

// mean-subtracted/derivative-too
//
// With: mean-subtracted/kept
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(-r*mean, h, dxn)
		kernel.AddConst(dxn, -kernel.Sum(dxn)/float32(len(g)), dxn)
	}
}

// one-rms-for-all-rows: one root mean square is computed over the whole tensor instead of one for
// each row
//
// Why: Every token is normalised by itself: what another token, or another text in the batch,
// looks like must not change it.
//
// Hint: Begin a new sum for every row.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(x.Data)/float64(len(x.Data))+Eps))
	}
}

// sum-not-cleared: the sum of the squares is not set to 0 again for the next row
//
// Why: The first row is right, and every later one is normalised together with those before it.
//
// Hint: Declare the sum inside the loop over rows.
func (*RMSNorm) Forward() {
	if right {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	} else {
		l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
		sum := 0.0
	}
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		sum += kernel.SumSquares(xn)
		r := float32(1 / math.Sqrt(sum/float64(len(g))+Eps))
	}
}

// down-the-columns: the root mean square is taken down the columns instead of along the rows
//
// Why: That is the axis of batch normalisation. A language model normalises each token over its
// own D features.
//
// Hint: Sum over the last axis: all elements of x.Row(n).
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaleTo(yn, r, xn)
	} else {
		for i, v := range xn {
			column := 0.0
			for m := range x.Rows() {
				column += float64(x.Row(m)[i]) * float64(x.Row(m)[i])
			}
			yn[i] = float32(float64(v) / math.Sqrt(column/float64(x.Rows())+Eps))
		}
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: float32 ends at 3.4e38, so the square of 2e19 is already infinite, and the whole row
// becomes 0.
//
// Hint: Convert before you square: float64(v)·float64(v).
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		squares := float32(0)
		for _, v := range xn {
			squares += v * v
		}
		r := float32(1 / math.Sqrt(float64(squares)/float64(len(g))+Eps))
	}
}

// input-normalised-in-place: x itself is overwritten by the normalised row
//
// Why: x belongs to the caller: in a block the same tensor is the residual that is added later.
// Backward needs it too.
//
// Hint: Write to l.y only.
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaleTo(yn, r, xn)
	} else {
		kernel.Scale(r, xn)
		copy(yn, xn)
	}
}
