// Package softmax finds the maximum and the sum in one pass: whenever a larger
// number comes, the sum so far is scaled down.
package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// lines are the rows of a tensor along an axis.
type lines struct{ outer, n, inner int }

func along(op string, x *tensor.Tensor, axis int) lines {
	at := axis
	if at < 0 {
		at += len(x.Shape)
	}
	if at < 0 || at >= len(x.Shape) {
		panic(tensor.IndexError{Op: op, Got: axis, Limit: len(x.Shape)})
	}
	l := lines{1, x.Shape[at], 1}
	for i, size := range x.Shape {
		if i < at {
			l.outer *= size
		}
		if i > at {
			l.inner *= size
		}
	}
	return l
}

// each calls do with the index of the first element of every row.
func (l lines) each(do func(first int)) {
	for i := range l.inner {
		for o := range l.outer {
			do(o*l.n*l.inner + i)
		}
	}
}

// scan returns the maximum of n numbers, and the sum of e^(x − max).
func scan(x []float32, n, stride int) (m, sum float64) {
	m = math.Inf(-1)
	for j := range n {
		v := float64(x[j*stride])
		switch {
		case math.IsNaN(v) || math.IsInf(v, 1) && math.IsInf(m, 1):
			m, sum = v, math.NaN()
		case v > m:
			if sum > 0 {
				sum *= math.Exp(m - v)
			}
			m, sum = v, sum+1
		case math.IsInf(v, -1):
		default:
			sum += math.Exp(v - m)
		}
		if math.IsNaN(m) {
			return m, math.NaN()
		}
	}
	return m, sum
}

func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	l := along("Softmax: axis", x, axis)
	y := tensor.Reuse(dst, x.Shape...)
	l.each(func(first int) {
		m, sum := scan(x.Data[first:], l.n, l.inner)
		for j := range l.n {
			at := first + j*l.inner
			switch {
			case math.IsInf(m, -1):
				y.Data[at] = 0
			case math.IsInf(m, 1):
				y.Data[at] = float32(math.NaN())
			default:
				y.Data[at] = float32(math.Exp(float64(x.Data[at])-m) / sum)
			}
		}
	})
	return y
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	l := along("softmax.Backward: axis", y, axis)
	dx := tensor.Reuse(dst, y.Shape...)
	l.each(func(first int) {
		dot := 0.0
		for j := l.n - 1; j >= 0; j-- {
			at := first + j*l.inner
			dot += float64(y.Data[at]) * float64(dy.Data[at])
		}
		for j := range l.n {
			at := first + j*l.inner
			dx.Data[at] = float32(float64(y.Data[at])*float64(dy.Data[at]) - float64(y.Data[at])*dot)
		}
	})
	return dx
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	l := along("LogSumExp: axis", x, axis)
	if axis < 0 {
		axis += len(x.Shape)
	}
	shape := append(append([]int{}, x.Shape[:axis]...), x.Shape[axis+1:]...)
	y := tensor.New(shape...)
	l.each(func(first int) {
		m, sum := scan(x.Data[first:], l.n, l.inner)
		if !math.IsInf(m, 0) {
			m += math.Log(sum)
		}
		y.Data[first/(l.n*l.inner)*l.inner+first%l.inner] = float32(m)
	})
	return y
}
