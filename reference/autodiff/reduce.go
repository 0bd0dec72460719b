package autodiff

import (
	"math"
	"slices"
)

// Sum adds up along an axis, which stays as a dimension of size 1, so that the
// result broadcasts against x; a negative axis counts from the end. It panics
// with an IndexError if axis is out of range.
//
//	∂x = g, repeated along the axis
func Sum(x *Tensor, axis int) *Tensor {
	shape := reduced("autodiff.Sum", x, axis)
	out := node(shape, x)
	at := offsets(x.Shape, shape)
	for i, v := range x.Data {
		out.Data[at[i]] += v
	}
	out.roughen(out.Data)
	out.pull = func() {
		for i := range x.Grad {
			x.Grad[i] += out.Grad[at[i]]
		}
	}
	return out.by(Recipe{Op: "sum", Axis: axis}, func(in []*Tensor) *Tensor { return Sum(in[0], axis) })
}

// Mean is Sum divided by the number of elements along the axis.
//
//	∂x = g / n, repeated along the axis
func Mean(x *Tensor, axis int) *Tensor {
	n := x.Shape[axisOf("autodiff.Mean", x, axis)]
	return Scale(Sum(x, axis), 1/float64(n)).
		by(Recipe{Op: "mean", Axis: axis, Inputs: []*Tensor{x}}, func(in []*Tensor) *Tensor { return Mean(in[0], axis) })
}

// Max returns the largest element along an axis, which stays as a dimension of
// size 1; NaN if there is a NaN, -Inf if there are no elements. The result is
// a leaf: no gradient flows through it. It serves as the shift of a softmax,
// which does not depend on its shift. It panics with an IndexError if axis is
// out of range.
func Max(x *Tensor, axis int) *Tensor {
	out := Full(math.Inf(-1), reduced("autodiff.Max", x, axis)...)
	for i, at := range offsets(x.Shape, out.Shape) {
		out.Data[at] = math.Max(out.Data[at], x.Data[i])
	}
	return out
}

// reduced returns x's shape with the axis at size 1.
func reduced(op string, x *Tensor, axis int) []int {
	shape := slices.Clone(x.Shape)
	shape[axisOf(op, x, axis)] = 1
	return shape
}
