// Package softmax copies every row into a slice of its own, works on that in
// float32, and takes the softmax as the exponential of the log-softmax.
package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// rows calls do with the indices of the elements of every row along an axis.
func rows(op string, shape []int, axis int, do func(row int, at []int)) (at int) {
	if axis < -len(shape) || axis >= len(shape) {
		panic(tensor.IndexError{Op: op, Got: axis, Limit: len(shape)})
	}
	axis = (axis + len(shape)) % len(shape)
	stride := 1
	for _, size := range shape[axis+1:] {
		stride *= size
	}
	total := stride * shape[axis]
	for _, size := range shape[:axis] {
		total *= size
	}
	indices, row := make([]int, shape[axis]), 0
	for first := range total {
		if first/stride%shape[axis] != 0 {
			continue
		}
		for j := range indices {
			indices[j] = first + j*stride
		}
		do(row, indices)
		row++
	}
	return axis
}

func pick(data []float32, at []int) []float32 {
	out := make([]float32, len(at))
	for j, i := range at {
		out[j] = data[i]
	}
	return out
}

// logSumExp returns log Σ e^x[j] in two parts, m and the log of Σ e^(x[j] − m): beside an
// m of 1e30 nothing would be left of the other.
func logSumExp(x []float32) (largest, log float64) {
	m := kernel.Max(x)
	if len(x) == 0 || math.IsInf(float64(m), 0) || m != m {
		return float64(m), 0
	}
	terms := make([]float32, len(x))
	kernel.AddConst(terms, -m, x)
	kernel.Exp(terms, terms)
	slices.Sort(terms) // the small ones first
	var sum float32
	for _, t := range terms {
		sum += t
	}
	return float64(m), math.Log(float64(sum))
}

func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	old := x.Clone()
	var y *tensor.Tensor
	rows("Softmax: axis", x.Shape, axis, func(int, []int) {})
	y = tensor.Reuse(dst, x.Shape...)
	rows("Softmax: axis", x.Shape, axis, func(_ int, at []int) {
		m, log := logSumExp(pick(old.Data, at))
		for _, i := range at {
			if math.IsInf(m, -1) {
				y.Data[i] = 0
				continue
			}
			y.Data[i] = float32(math.Exp(float64(old.Data[i]) - m - log))
			if math.IsInf(m, 1) {
				y.Data[i] = float32(math.NaN())
			}
		}
	})
	return y
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	rows("softmax.Backward: axis", y.Shape, axis, func(int, []int) {})
	given := dy.Clone()
	dx := tensor.Reuse(dst, y.Shape...)
	rows("softmax.Backward: axis", y.Shape, axis, func(_ int, at []int) {
		p, d := pick(y.Data, at), pick(given.Data, at)
		dot := kernel.Dot(p, d)
		kernel.AddConst(d, -dot, d)
		kernel.Mul(d, d, p)
		for j, i := range at {
			dx.Data[i] = d[j]
		}
	})
	return dx
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	var all []float32
	at := rows("LogSumExp: axis", x.Shape, axis, func(_ int, at []int) {
		m, log := logSumExp(pick(x.Data, at))
		all = append(all, float32(m+log))
	})
	shape := slices.Delete(slices.Clone(x.Shape), at, at+1)
	y := tensor.New(shape...)
	for i := range y.Data {
		y.Data[i] = float32(math.Inf(-1))
	}
	copy(y.Data, all)
	return y
}
