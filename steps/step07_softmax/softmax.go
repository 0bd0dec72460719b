// Package softmax turns rows of numbers into probabilities, and measures how
// well they predict the token that came.
// This is step 07; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, V vocabulary; N the number of elements of one row.
//
// A row along an axis: read x as (outer, N, inner), where N is the size of the
// axis, outer the product of the dimensions before it and inner the product of
// those after it. The row at (o, i) consists of the N elements
//
//	x.Data[(o*N+j)*inner+i],  0 ≤ j < N
//
// which lie next to each other only where inner is 1, that is along the last
// axis. A negative axis counts from the end: −1 is the last.
//
// Several goroutines may call the functions at the same time, and each a
// CrossEntropy of its own: keep nothing in variables of the package.
//
// Plain loops will do. The ones that take time are also in reference/kernel,
// vectorised: kernel.Max, kernel.AddConst, kernel.Exp, kernel.Sum, kernel.Scale,
// kernel.Dot.
package softmax

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// Softmax computes, for every row of x along axis,
//
//	y[i] = e^(x[i] − m) / Σⱼ e^(x[j] − m),  m = maxⱼ x[j]
//
// The row's own maximum m cancels in the fraction and keeps e^… ≤ 1. axis is
// any dimension of x; a negative axis counts from the end. y is dst, overwritten
// and given the shape of x; if dst is nil it is a new tensor.
// tensor.Reuse(dst, x.Shape...) does both. dst may be x, which is not changed
// otherwise.
//
// A row of nothing but −Inf (everything masked) gives zeros. A NaN or a +Inf
// makes its own row NaN, and no other. It panics with an IndexError if x has
// no such axis:
//
//	panic(tensor.IndexError{Op: "Softmax: axis", Got: axis, Limit: len(x.Shape)})
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	panic(tensor.TODO("step07: Softmax"))
}

// Backward computes the gradient of Softmax's input from its output y and the
// output's gradient, for every row along axis:
//
//	dx[i] = y[i]·(dy[i] − dot),  dot = Σⱼ dy[j]·y[j]
//
// y, dy and dx have the same shape, and axis is that of the Softmax. dx is dst
// as in Softmax. dst may be dy, which is not changed otherwise, and neither is
// y. It panics with a ShapeError if the shapes differ and with an IndexError if
// y has no such axis.
func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	panic(tensor.TODO("step07: Backward"))
}

// LogSumExp computes log Σⱼ e^x[j] of every row of x along axis as
//
//	m + log Σⱼ e^(x[j] − m),  m = maxⱼ x[j]
//
// which overflows for no x. The result is a new tensor with the shape of x
// without axis: (2, 3, 5) along axis 1 gives (2, 5). A row of nothing but −Inf
// gives −Inf, a row with a +Inf gives +Inf, a row with a NaN gives NaN. It
// panics with an IndexError if x has no such axis.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	panic(tensor.TODO("step07: LogSumExp"))
}
