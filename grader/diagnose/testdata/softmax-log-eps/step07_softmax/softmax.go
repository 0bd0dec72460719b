package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// transposed brings axis to the end and returns the rows as slices of their own.
func rowsOf(op string, x *tensor.Tensor, axis int) ([][]float64, func(r, j int) int) {
	rank := len(x.Shape)
	if axis >= rank || axis < -rank {
		panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
	}
	axis = (axis + rank) % rank
	before, n, after := 1, x.Shape[axis], 1
	for a, d := range x.Shape {
		if a < axis {
			before *= d
		} else if a > axis {
			after *= d
		}
	}
	place := func(r, j int) int { return (r/after*n+j)*after + r%after }
	rows := make([][]float64, before*after)
	for r := range rows {
		rows[r] = make([]float64, n)
		for j := range n {
			rows[r][j] = float64(x.Data[place(r, j)])
		}
	}
	return rows, place
}

func largest(row []float64) float64 {
	m := row[0]
	for _, v := range row {
		m = math.Max(m, v)
	}
	return m
}

func probabilities(row []float64) []float64 {
	m, sum, p := largest(row), 0.0, make([]float64, len(row))
	if math.IsInf(m, -1) {
		return p
	}
	for j, v := range row {
		p[j] = math.Exp(v - m)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	rows, place := rowsOf("Softmax", x, axis)
	dst = tensor.Reuse(dst, x.Shape...)
	for r, row := range rows {
		for j, p := range probabilities(row) {
			dst.Data[place(r, j)] = float32(p)
		}
	}
	return dst
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	ys, place := rowsOf("Backward", y, axis)
	dys, _ := rowsOf("Backward", dy, axis)
	dst = tensor.Reuse(dst, y.Shape...)
	for r, p := range ys {
		for i := range p {
			sum := 0.0
			for j, g := range dys[r] {
				if i == j {
					sum += g * p[i]
				}
				sum -= g * p[i] * p[j]
			}
			dst.Data[place(r, i)] = float32(sum)
		}
	}
	return dst
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	rows, _ := rowsOf("LogSumExp", x, axis)
	axis = (axis + len(x.Shape)) % len(x.Shape)
	var shape []int
	for a, d := range x.Shape {
		if a != axis {
			shape = append(shape, d)
		}
	}
	y := tensor.New(shape...)
	for r, row := range rows {
		m, sum := largest(row), 0.0
		for _, v := range row {
			sum += math.Exp(v - m)
		}
		if math.IsInf(m, 0) {
			sum = 1
		}
		y.Data[r] = float32(m + math.Log(sum))
	}
	return y
}
