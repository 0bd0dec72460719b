package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("softmax", func(c *call) ([]*autodiff.Tensor, error) {
		if err := c.checkAxis(); err != nil {
			return nil, err
		}
		return one(Softmax(c.tensor("x"), c.int("axis")))
	})
	answer("logsumexp", logSumExp)
}

// Softmax returns y_i = e^(x_i − c) / Σ_j e^(x_j − c) along an axis, which may
// be counted from the end, with c the row's largest entry: the value does not
// depend on c, and the exponentials cannot overflow.
//
//	x (…), result (…)
//
// A row (the entries along the axis) of only −Inf gives zeros and passes no
// gradient; a NaN makes its own row NaN and no other.
//
// Source: Blanchard, Higham and Higham, "Accurately computing the log-sum-exp
// and softmax functions", IMA Journal of Numerical Analysis 41 (2021), section 1.
func Softmax(x *autodiff.Tensor, axis int) *autodiff.Tensor {
	shifted := autodiff.Exp(autodiff.Sub(x, rowMax(x, axis))).Named("e^(x − m)")
	total := autodiff.Sum(shifted, axis).Named("Σ e^(x − m)")
	return autodiff.Div(shifted, autodiff.Where(nonZero(total), total, 1).Named("S"))
}

// LogSumExp returns y = c + ln Σ_j e^(x_j − c) along an axis, which the result
// no longer has, with c the row's largest entry.
//
//	x (…), result: the shape of x without the axis
//
// A row of only −Inf gives −Inf and passes no gradient.
//
// Source: as Softmax.
func LogSumExp(x *autodiff.Tensor, axis int) *autodiff.Tensor {
	shift := rowMax(x, axis)
	for i, m := range shift.Data {
		if math.IsInf(m, 1) {
			shift.Data[i] = 0 // an entry +Inf gives +Inf
		}
	}
	total := autodiff.Sum(autodiff.Exp(autodiff.Sub(x, shift)).Named("e^(x − m)"), axis).Named("Σ e^(x − m)")
	y := autodiff.Add(autodiff.Log(autodiff.Where(nonZero(total), total, 0).Named("S")), shift)
	if axis < 0 {
		axis += len(x.Shape)
	}
	return autodiff.Reshape(y, slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
}

// rowMax returns the largest entry of each row, as a constant, and 0 for a row
// of only −Inf, whose shifted entries then stay −Inf.
func rowMax(x *autodiff.Tensor, axis int) *autodiff.Tensor {
	shift := autodiff.Max(x, axis).Named("m")
	for i, m := range shift.Data {
		if math.IsInf(m, -1) {
			shift.Data[i] = 0
		}
	}
	return shift
}

func nonZero(x *autodiff.Tensor) []bool {
	mask := make([]bool, len(x.Data))
	for i, v := range x.Data {
		mask[i] = v != 0
	}
	return mask
}

func logSumExp(c *call) (wire.Values, error) {
	if err := c.checkAxis(); err != nil {
		return nil, err
	}
	y := c.edited(nil, LogSumExp(c.tensor("x"), c.int("axis")).Named("y"))
	return wire.Values{"y": result(y[0])}, nil
}

func (c *call) checkAxis() error {
	rank := len(c.in["x"].Shape)
	if axis := c.int("axis"); axis < -rank || axis >= rank {
		return c.refuse("axis", fmt.Sprintf("%d ≤ axis < %d", -rank, rank))
	}
	return nil
}
