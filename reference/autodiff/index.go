package autodiff

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Reshape returns x's elements, in the same order, under another shape. It
// panics with a ShapeError if the number of elements differs.
//
//	∂x = g
func Reshape(x *Tensor, shape ...int) *Tensor {
	if count(shape) != len(x.Data) {
		panic(tensor.ShapeError{Op: "autodiff.Reshape", Got: slices.Clone(x.Shape), Want: slices.Clone(shape)})
	}
	return pick(x, shape, sequence(len(x.Data))).
		by(Recipe{Op: "reshape"}, func(in []*Tensor) *Tensor { return Reshape(in[0], shape...) })
}

// Permute reorders the dimensions: dimension i of the result is dimension
// axes[i] of x. It panics with a ShapeError unless axes holds each of
// 0, …, rank-1 once.
//
//	∂x = g with the dimensions put back
func Permute(x *Tensor, axes ...int) *Tensor {
	sorted := slices.Sorted(slices.Values(axes))
	if !slices.Equal(sorted, sequence(len(x.Shape))) {
		panic(tensor.ShapeError{Op: "autodiff.Permute: axes", Got: slices.Clone(axes), Want: sequence(len(x.Shape))})
	}
	from := strides(x.Shape)
	shape, step := make([]int, len(axes)), make([]int, len(axes))
	for i, axis := range axes {
		shape[i], step[i] = x.Shape[axis], from[axis]
	}
	return pick(x, shape, walk(shape, step, 0)).
		by(Recipe{Op: "permute"}, func(in []*Tensor) *Tensor { return Permute(in[0], axes...) })
}

// Transpose exchanges the last two dimensions. It panics with a ShapeError if
// x has fewer than two.
//
//	∂x = gᵀ
func Transpose(x *Tensor) *Tensor {
	rank := len(x.Shape)
	if rank < 2 {
		panic(tensor.ShapeError{Op: "autodiff.Transpose", Got: slices.Clone(x.Shape), Want: []int{tensor.Lead, tensor.Any, tensor.Any}})
	}
	axes := sequence(rank)
	axes[rank-2], axes[rank-1] = rank-1, rank-2
	return Permute(x, axes...).by(Recipe{Op: "transpose"}, func(in []*Tensor) *Tensor { return Transpose(in[0]) })
}

// Slice returns the elements lo ≤ i < hi along an axis; a negative axis counts
// from the end. It panics with an IndexError if axis, lo or hi is out of range.
//
//	∂x = g in the slice, 0 outside
func Slice(x *Tensor, axis, lo, hi int) *Tensor {
	axis = axisOf("autodiff.Slice", x, axis)
	if hi < 0 || hi > x.Shape[axis] {
		panic(tensor.IndexError{Op: "autodiff.Slice: hi", Got: hi, Limit: x.Shape[axis] + 1})
	}
	if lo < 0 || lo > hi {
		panic(tensor.IndexError{Op: "autodiff.Slice: lo", Got: lo, Limit: hi + 1})
	}
	shape, step := slices.Clone(x.Shape), strides(x.Shape)
	shape[axis] = hi - lo
	return pick(x, shape, walk(shape, step, lo*step[axis])).
		by(Recipe{Op: "slice", Axis: axis, Number: float64(lo)}, func(in []*Tensor) *Tensor { return Slice(in[0], axis, lo, hi) })
}

// Rows looks rows up in a table: row i of the result is row at[i] of x.
//
//	x (V, D), result (len(at), D)
//
// It panics with a ShapeError if x is not a matrix and with an IndexError if
// an index is out of range.
//
//	∂x[at[i]] = g[i], summed over all i that name the same row
func Rows(x *Tensor, at []int) *Tensor {
	if len(x.Shape) != 2 {
		panic(tensor.ShapeError{Op: "autodiff.Rows", Got: slices.Clone(x.Shape), Want: []int{tensor.Any, tensor.Any}})
	}
	rows, d := x.Shape[0], x.Shape[1]
	elements := make([]int, 0, len(at)*d)
	for _, r := range at {
		if r < 0 || r >= rows {
			panic(tensor.IndexError{Op: "autodiff.Rows", Got: r, Limit: rows})
		}
		for j := range d {
			elements = append(elements, r*d+j)
		}
	}
	return pick(x, []int{len(at), d}, elements).
		by(Recipe{Op: "rows", At: at}, func(in []*Tensor) *Tensor { return Rows(in[0], at) })
}

// pick is what reshaping, permuting, slicing and looking up have in common:
// element i of the result is element at[i] of x.
//
//	∂x[at[i]] = g[i], summed
func pick(x *Tensor, shape, at []int) *Tensor {
	out := node(shape, x)
	for i, from := range at {
		out.Data[i] = x.Data[from]
	}
	out.pull = func() {
		for i, from := range at {
			x.Grad[from] += out.Grad[i]
		}
	}
	return out
}

// Concat joins tensors along an axis; a negative axis counts from the end.
// All other dimensions must agree, or it panics with a ShapeError.
//
//	∂ of each tensor = its part of g
func Concat(axis int, parts ...*Tensor) *Tensor {
	if len(parts) == 0 {
		panic(tensor.ShapeError{Op: "autodiff.Concat: number of tensors", Got: []int{0}, Want: []int{tensor.Any}})
	}
	axis = axisOf("autodiff.Concat", parts[0], axis)
	shape := slices.Clone(parts[0].Shape)
	shape[axis] = 0
	for _, p := range parts {
		want := slices.Clone(parts[0].Shape)
		want[axis] = tensor.Any
		if len(p.Shape) == len(want) {
			shape[axis] += p.Shape[axis]
			want[axis] = p.Shape[axis]
		}
		if !slices.Equal(p.Shape, want) {
			panic(tensor.ShapeError{Op: "autodiff.Concat", Got: slices.Clone(p.Shape), Want: want})
		}
	}
	out := node(shape, parts...)
	step := strides(shape)
	places := make([][]int, len(parts)) // where each part's elements stand in the result
	start := 0
	for k, p := range parts {
		places[k] = walk(p.Shape, step, start*step[axis])
		start += p.Shape[axis]
		for i, at := range places[k] {
			out.Data[at] = p.Data[i]
		}
	}
	out.pull = func() {
		for k, p := range parts {
			for i, at := range places[k] {
				p.Grad[i] += out.Grad[at]
			}
		}
	}
	return out.by(Recipe{Op: "concat", Axis: axis}, func(in []*Tensor) *Tensor { return Concat(axis, in...) })
}
