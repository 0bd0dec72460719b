//go:build unlisted

package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// one-pass-in-float64: maximum and sum are found in one pass, the sum being scaled when the maximum grows
//
// Why: Right: the online softmax, in float64.
func softmaxRow(y, x []float32) {
	largest, sum := math.Inf(-1), 0.0
	for _, v := range x {
		switch v := float64(v); {
		case math.IsInf(v, -1):
		case v > largest:
			sum = sum*math.Exp(largest-v) + 1
			largest = v
		default:
			sum += math.Exp(v - largest)
		}
	}
	for i, v := range x {
		switch {
		case math.IsInf(float64(v), -1) && (sum == 0 || !math.IsNaN(sum) && !math.IsInf(largest, 1)):
			y[i] = 0
		case math.IsNaN(sum) || math.IsInf(largest, 1):
			y[i] = float32(math.NaN())
		default:
			y[i] = float32(math.Exp(float64(v)-largest) / sum)
		}
	}
}

// element-by-element: the derivative is summed over pairs, straight from its definition
//
// Why: Right: dx[i] = Σⱼ dy[j]·y[j]·(δᵢⱼ − y[i]), in float64.
func backwardRow(dx, y, dy []float32) {
	dot := 0.0
	for j := len(y) - 1; j >= 0; j-- {
		dot += float64(dy[j]) * float64(y[j])
	}
	for i := range y {
		dx[i] = float32(float64(y[i]) * (float64(dy[i]) - dot))
	}
}

// by-transposition: Softmax brings the axis to the end, in a copy, and back again
//
// Why: Right: another layout, the same rows.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	moved := make([]float32, len(x.Data))
	each(outer, n, inner, func(from, to int) { moved[to] = x.Data[from] })
	for r := range outer * inner {
		softmaxRow(moved[r*n:(r+1)*n], moved[r*n:(r+1)*n])
	}
	dst = tensor.Reuse(dst, x.Shape...)
	each(outer, n, inner, func(at, from int) { dst.Data[at] = moved[from] })
	return dst
}

func each(outer, n, inner int, do func(at, moved int)) {
	for o := range outer {
		for j := range n {
			for i := range inner {
				do((o*n+j)*inner+i, (o*inner+i)*n+j)
			}
		}
	}
}

// log-sums-by-halves: the logarithm of the sum is put together from those of the halves
//
// Why: Right: log(eᵃ + eᵇ) = max + log1p(e^−|a−b|), in float64, with the infinities as the comment asks.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	_, n, inner := split(x.Shape, axis)
	y := tensor.New(slices.Concat(x.Shape[:axis], x.Shape[axis+1:])...)
	row := make([]float32, n)
	for r := range y.Data {
		gather(row, x.Data, r, inner)
		y.Data[r] = float32(logSum(row))
	}
	return y
}

func logSum(x []float32) float64 {
	switch len(x) {
	case 0:
		return math.Inf(-1)
	case 1:
		return float64(x[0])
	}
	a, b := logSum(x[:len(x)/2]), logSum(x[len(x)/2:])
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) || math.IsInf(a, 1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// gradient-in-forward: Forward computes the gradient too, and Backward hands out a copy
//
// Why: Right: what Backward returns was computed from the logits and targets of the last good Forward.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits = tensor.New(logits.Shape...)
	n, loss := logits.Rows(), 0.0
	for b, row := range targets {
		for t, target := range row {
			x, dx := logits.Row(b*len(row)+t), c.logits.Row(b*len(row)+t)
			largest, sum := math.Inf(-1), 0.0
			for _, v := range x {
				largest = max(largest, float64(v))
			}
			for _, v := range x {
				sum += math.Exp(float64(v) - largest)
			}
			for i, v := range x {
				p := math.Exp(float64(v)-largest) / sum
				if i == target {
					p--
				}
				dx[i] = float32(p / float64(n))
			}
			loss += (math.Log(sum) - (float64(x[target]) - largest)) / float64(n)
		}
	}
	return loss, nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	return c.logits.Clone()
}
