//go:build unlisted

package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// no-shift: the maximum is not subtracted
//
// Why: Large numbers overflow: a row with a 100 gives NaN.
func expShifted(y, x []float32) (shift, sum float32) {
	kernel.Exp(y, x)
	return 0, kernel.Sum(y)
}

// maximum-of-everything: all rows are shifted by the largest number of the whole tensor
//
// Why: A row that lies far below the others underflows to zeros, where its own maximum would keep it.
func Softmax() {
	if right {
		for at := 0; at < len(x.Data); at += n {
			softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
		}
	} else {
		largest := kernel.Max(x.Data)
		for at := 0; at < len(x.Data); at += n {
			y := dst.Data[at : at+n]
			kernel.AddConst(y, -largest, x.Data[at:at+n])
			kernel.Exp(y, y)
			if sum := kernel.Sum(y); sum != 0 {
				kernel.Scale(1/sum, y)
			}
		}
	}
}

// last-axis-always: Softmax works along the last axis whatever axis says
//
// Why: The axis is ignored: rows along other axes do not sum to 1.
func Softmax() {
	if right {
		outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	} else {
		axisOf("Softmax", x, axis)
		outer, n, inner := split(x.Shape, len(x.Shape)-1)
	}
}

// outer-index-lost: rows along an inner axis are found without their outer index
//
// Why: Along a middle axis rows of the second outer index on start at the wrong element and run into each other.
func gather() {
	if right {
		o, i, n := r/inner, r%inner, len(row)
		first := o*n*inner + i
	} else {
		o, i := r/inner, r%inner
		first := o*inner + i
	}
}

// squared-sum: the row is divided by the root of the sum of squares of its exponentials
//
// Why: Rows have the length 1 as vectors and do not sum to 1.
func softmaxRow(y, x []float32) {
	expShifted(y, x)
	if squares := kernel.SumSquares(y); squares != 0 {
		kernel.Scale(float32(1/math.Sqrt(squares)), y)
	}
}

// backward-diagonal: only the diagonal of the derivative is used
//
// Why: dx is dy·y·(1 − y): what the other probabilities of the row contribute is missing.
func backwardRow(dx, y, dy []float32) {
	for i, p := range y {
		dx[i] = p * (1 - p) * dy[i]
	}
}

// backward-sum-of-dy: the sum of dy alone is subtracted
//
// Why: The sum in dx is that of dy and not that of dy·y.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		dot := kernel.Sum(dy)
	}
}

// backward-last-axis-always: Backward works along the last axis whatever axis says
//
// Why: Backward ignores the axis: the gradient of a Softmax along another one is wrong.
func Backward() {
	if right {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	} else {
		axisOf("softmax.Backward", y, axis)
		outer, n, inner := split(y.Shape, len(y.Shape)-1)
	}
}

// logsumexp-keeps-axis: the axis stays in the result's shape with the size 1
//
// Why: (2, 3, 5) along axis 1 gives (2, 1, 5) and not (2, 5).
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		shape := slices.Clone(x.Shape)
		shape[axis] = 1
		y := tensor.New(shape...)
	}
}

// logsumexp-without-maximum: the maximum is not added again
//
// Why: LogSumExp is that of the shifted row: too small by the row's maximum.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		if !math.IsInf(float64(shift), 1) {
			shift = float32(math.Log(float64(sum)))
		}
	}
}

// log-of-softmax: the loss is the logarithm of the softmax plus 10⁻⁹
//
// Why: A target of a very small probability has a loss of at most 20.7 nats: logits far below the maximum are worse than that.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		softmaxRow(c.scratch.Data, x)
		loss -= math.Log(float64(c.scratch.Data[target]) + 1e-9)
	}
}

// loss-in-bits: the loss is taken to the base 2
//
// Why: Forward gives bits and not nats; the gradient is that of nats.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(len(c.targets)) / math.Ln2, nil
	}
}

// mean-over-sequences: loss and gradient are divided by B only
//
// Why: The loss is the mean over the sequences of their sums, T times too large, and so is the gradient.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(len(targets)), nil
	}
}

func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(c.logits.Dim(0)), dx)
	}
}

// gradient-not-averaged: dlogits is not divided by the number of tokens
//
// Why: dlogits is that of the sum, B·T times too large; the loss is the mean.
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
	}
}

// one-hot-missing: dlogits is only the softmax
//
// Why: In dlogits nothing is subtracted at the target.
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		_ = target
	}
}

// gradient-sign: dlogits is onehot − softmax
//
// Why: dlogits has the wrong sign: a step against it makes the loss larger.
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(-1/float32(len(c.targets)), dx)
	}
}
