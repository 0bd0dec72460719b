//go:build unlisted

package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// maximum-of-all: shift is the largest number of the whole tensor
//
// Why: a row far below the largest number of another row underflows to zeros, although its softmax is ordinary.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	largest := kernel.Max(x.Data)
	row := make([]float32, n)
	for r := range outer * inner {
		gather(row, x.Data, r, inner)
		sum := float32(0)
		for j, v := range row {
			if !math.IsInf(float64(v), -1) {
				row[j] = float32(math.Exp(float64(v - largest)))
			} else {
				row[j] = 0
			}
			sum += row[j]
		}
		if sum != 0 {
			kernel.Scale(1/sum, row)
		}
		scatter(dst.Data, row, r, inner)
	}
	return dst
}

// infinity-minus-itself: LogSumExp of a row with +Inf is not treated on its own
//
// Why: Inf − Inf is NaN, so a row with a +Inf gives NaN in place of +Inf.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		shift += float32(math.Log(float64(sum)))
	}
}

// axis-kept: LogSumExp keeps the axis with size 1
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

// derivative-along-last-axis: Backward always works along the last axis
//
// Why: for any other axis the sums are over the wrong numbers.
func Backward() {
	if right {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	} else {
		axisOf("softmax.Backward", y, axis)
		outer, n, inner := split(y.Shape, len(y.Shape)-1)
	}
}
