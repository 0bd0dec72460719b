//go:build unlisted

package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// strided-float64: one loop for all axes, in float64 and without a buffer in the tensor
//
// Why: exponentials are taken twice and never stored in float32 before they are divided.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	row := make([]float64, n)
	for o := range outer {
		for i := range inner {
			largest, sum := math.Inf(-1), 0.0
			for j := range row {
				row[j] = float64(x.Data[(o*n+j)*inner+i])
				largest = max(largest, row[j])
			}
			for j, v := range row {
				row[j] = 0
				if !math.IsInf(largest, -1) {
					row[j] = math.Exp(v - largest)
				}
				sum += row[j]
			}
			for j, v := range row {
				if sum != 0 {
					v /= sum
				}
				dst.Data[(o*n+j)*inner+i] = float32(v)
			}
		}
	}
	return dst
}

// running-maximum: LogSumExp in one pass with a maximum that rises on the way
//
// Why: whenever a larger number comes, the sum so far is scaled down to it.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	outer, n, inner := split(x.Shape, axis)
	var shape []int
	shape = append(append(shape, x.Shape[:axis]...), x.Shape[axis+1:]...)
	y := tensor.New(shape...)
	for o := range outer {
		for i := range inner {
			largest, sum := math.Inf(-1), 0.0
			infinite, undefined := false, false
			for j := range n {
				v := float64(x.Data[(o*n+j)*inner+i])
				switch {
				case math.IsNaN(v):
					undefined = true
				case math.IsInf(v, 1):
					infinite = true
				case math.IsInf(v, -1):
				case v > largest:
					sum = sum*math.Exp(largest-v) + 1
					largest = v
				default:
					sum += math.Exp(v - largest)
				}
			}
			result := largest + math.Log(sum)
			switch {
			case undefined:
				result = math.NaN()
			case infinite:
				result = math.Inf(1)
			case sum == 0:
				result = math.Inf(-1)
			}
			y.Data[o*inner+i] = float32(result)
		}
	}
	return y
}

// gradient-in-new-memory: Backward computes the softmax in float64 in a new tensor
//
// Why: dlogits of an earlier Backward are left as they are, which is more than is promised.
func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits", c.logits, tensor.Any, tensor.Any, tensor.Any)
	dlogits := tensor.New(c.logits.Shape...)
	tokens := float64(len(c.targets))
	for r, target := range c.targets {
		x, dx, largest, sum := c.logits.Row(r), dlogits.Row(r), math.Inf(-1), 0.0
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
			dx[i] = float32(p / tokens)
		}
	}
	return dlogits
}
