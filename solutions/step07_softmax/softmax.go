// Package softmax turns rows of numbers into probabilities, and measures how
// well they predict the token that came.
//
// Letters: B batch, T time, V vocabulary; N the number of elements of one row.
package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Softmax computes, for every row of x along axis,
//
//	y[i] = e^(x[i] − m) / Σⱼ e^(x[j] − m),  m = maxⱼ x[j]
//
// The row's own maximum m cancels in the fraction and keeps e^… ≤ 1. axis is
// any dimension of x; a negative axis counts from the end. y is dst, overwritten
// and given the shape of x; if dst is nil it is a new tensor. dst may be x,
// which is not changed otherwise.
//
// A row of nothing but −Inf (everything masked) gives zeros. A NaN or a +Inf
// makes its own row NaN, and no other. It panics with an IndexError if x has
// no such axis.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	if inner == 1 { // every row lies together
		for at := 0; at < len(x.Data); at += n {
			softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
		}
		return dst
	}
	row := make([]float32, n)
	for r := range outer * inner {
		gather(row, x.Data, r, inner)
		softmaxRow(row, row)
		scatter(dst.Data, row, r, inner)
	}
	return dst
}

// softmaxRow writes the softmax of the row x to y. y may be x.
func softmaxRow(y, x []float32) {
	if _, sum := expShifted(y, x); sum != 0 {
		kernel.Scale(1/sum, y)
	}
}

// expShifted writes e^(x[i] − shift) to y and returns shift and the sum of what
// it wrote. The shift is the row's maximum; for a row of nothing but −Inf it is
// 0, because −Inf − (−Inf) is NaN. Then y and sum are 0. y may be x.
func expShifted(y, x []float32) (shift, sum float32) {
	shift = kernel.Max(x)
	if math.IsInf(float64(shift), -1) {
		shift = 0
	}
	kernel.AddConst(y, -shift, x)
	kernel.Exp(y, y)
	return shift, kernel.Sum(y)
}

// Backward computes the gradient of Softmax's input from its output y and the
// output's gradient, for every row along axis:
//
//	dx = y ⊙ (dy − Σⱼ dy[j]·y[j])
//
// y, dy and dx have the same shape, and axis is that of the Softmax. dx is dst
// as in Softmax; dst may be dy. It panics with a ShapeError if the shapes differ
// and with an IndexError if y has no such axis.
func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	// (1) y[j] = e^x[j]/S with S = Σ e^x. By the quotient rule ∂y[j]/∂x[j] = y[j]·(1 − y[j]);
	// (2) another x[i] is in y[j] through S alone:   ∂y[j]/∂x[i] = −y[j]·y[i].
	// (3) Both in one line, with δᵢⱼ = 1 if i = j, else 0: ∂y[j]/∂x[i] = y[j]·(δᵢⱼ − y[i])
	// (4) x[i] has a part in every y[j] of its row:
	//     dx[i] = Σⱼ dy[j]·y[j]·(δᵢⱼ − y[i]) = dy[i]·y[i] − y[i]·Σⱼ dy[j]·y[j]
	// (5) The sum is one number a row: dot = Σⱼ dy[j]·y[j], dx[i] = y[i]·(dy[i] − dot)
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	dst = tensor.Reuse(dst, y.Shape...)
	if inner == 1 { // every row lies together
		for at := 0; at < len(y.Data); at += n {
			backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n])
		}
		return dst
	}
	yRow, dxRow := make([]float32, n), make([]float32, n)
	for r := range outer * inner {
		gather(yRow, y.Data, r, inner)
		gather(dxRow, dy.Data, r, inner)
		backwardRow(dxRow, yRow, dxRow)
		scatter(dst.Data, dxRow, r, inner)
	}
	return dst
}

// backwardRow writes the gradient of one row to dx. dx may be dy.
func backwardRow(dx, y, dy []float32) {
	dot := kernel.Dot(dy, y) // (5)
	for i, p := range y {
		dx[i] = p * (dy[i] - dot) // (5)
	}
}

// LogSumExp computes log Σⱼ e^x[j] of every row of x along axis as
//
//	m + log Σⱼ e^(x[j] − m),  m = maxⱼ x[j]
//
// which overflows for no x. The result is a new tensor with the shape of x
// without axis. A row of nothing but −Inf gives −Inf, a row with a +Inf gives
// +Inf, a row with a NaN gives NaN. It panics with an IndexError if x has no
// such axis.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	_, n, inner := split(x.Shape, axis)
	y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	row := make([]float32, n)
	for r := range y.Data {
		gather(row, x.Data, r, inner)
		shift, sum := expShifted(row, row)
		if !math.IsInf(float64(shift), 1) { // a +Inf is the sum already, and Inf − Inf is NaN
			shift += float32(math.Log(float64(sum)))
		}
		y.Data[r] = shift
	}
	return y
}

// axisOf returns axis counted from the front. It panics with an IndexError if
// x has no such axis.
func axisOf(op string, x *tensor.Tensor, axis int) int {
	rank := len(x.Shape)
	if axis < -rank || axis >= rank {
		panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
	}
	return (axis + rank) % rank
}

// split reads a shape as (outer, N, inner) around an axis of length N. There are
// outer·inner rows along the axis; element j of row r = o·inner + i stands at
// Data[(o·N+j)·inner+i].
func split(shape []int, axis int) (outer, n, inner int) {
	outer, inner = 1, 1
	for _, d := range shape[:axis] {
		outer *= d
	}
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	return outer, shape[axis], inner
}

// gather copies row r = o·inner + i of data, its elements inner apart, to row.
func gather(row, data []float32, r, inner int) {
	o, i, n := r/inner, r%inner, len(row)
	first := o*n*inner + i
	for j := range row {
		row[j] = data[first+j*inner]
	}
}

// scatter copies row to row r = o·inner + i of data, its elements inner apart.
func scatter(data, row []float32, r, inner int) {
	o, i, n := r/inner, r%inner, len(row)
	first := o*n*inner + i
	for j, v := range row {
		data[first+j*inner] = v
	}
}
