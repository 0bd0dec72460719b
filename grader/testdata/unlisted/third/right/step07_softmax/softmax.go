//go:build unlisted

package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// strided-in-float64: Softmax walks with strides, in float64, and sums from the end
//
// Why: the same fraction with more digits and another order of summation; every element is read before it is written, so dst may be x.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	for o := range outer {
		for i := range inner {
			first := o*n*inner + i
			m := math.Inf(-1)
			for j := range n {
				m = max(m, float64(x.Data[first+j*inner]))
			}
			if math.IsInf(m, -1) {
				m = 0
			}
			sum := 0.0
			for j := n - 1; j >= 0; j-- {
				sum += math.Exp(float64(x.Data[first+j*inner]) - m)
			}
			for j := range n {
				e := math.Exp(float64(x.Data[first+j*inner]) - m)
				if sum != 0 {
					e /= sum
				}
				dst.Data[first+j*inner] = float32(e)
			}
		}
	}
	return dst
}

// streaming-logsumexp: LogSumExp in one pass with a running maximum, and Backward as y·dy − y·dot in float64
//
// Why: rescaling the sum when a larger number comes gives the same sum; the derivative is only multiplied out.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	outer, n, inner := split(x.Shape, axis)
	shape := append(slices.Clone(x.Shape[:axis]), x.Shape[axis+1:]...)
	y := tensor.New(shape...)
	for o := range outer {
		for i := range inner {
			m, sum, special := math.Inf(-1), 0.0, 0.0
			for j := range n {
				switch v := float64(x.Data[(o*n+j)*inner+i]); {
				case math.IsNaN(v) || math.IsInf(v, 1):
					special += v // NaN wins over +Inf
				case math.IsInf(v, -1):
				case v > m:
					sum = sum*math.Exp(m-v) + 1
					m = v
				default:
					sum += math.Exp(v - m)
				}
			}
			if special != 0 {
				y.Data[o*inner+i] = float32(special)
			} else {
				y.Data[o*inner+i] = float32(m + math.Log(sum))
			}
		}
	}
	return y
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	dst = tensor.Reuse(dst, y.Shape...)
	for o := range outer {
		for i := range inner {
			dot := 0.0
			for j := n - 1; j >= 0; j-- {
				at := (o*n+j)*inner + i
				dot += float64(dy.Data[at]) * float64(y.Data[at])
			}
			for j := range n {
				at := (o*n+j)*inner + i
				p := float64(y.Data[at])
				dst.Data[at] = float32(p*float64(dy.Data[at]) - p*dot)
			}
		}
	}
	return dst
}

// own-copies-and-fresh-dlogits: CrossEntropy copies the logits, goes from the last token to the first, and makes a new dlogits in every Backward
//
// Why: a copy promises more than is asked; the mean does not depend on the order; a new tensor is valid until the next Backward and after it.
type CrossEntropy struct {
	logits  *tensor.Tensor
	targets []int
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.targets = logits.Clone(), slices.Concat(targets...)
	loss := 0.0
	for r := len(c.targets) - 1; r >= 0; r-- {
		x := c.logits.Row(r)
		m := float64(slices.Max(x))
		if math.IsInf(m, -1) {
			m = 0
		}
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v) - m)
		}
		loss += (math.Log(sum) - (float64(x[c.targets[r]]) - m)) / float64(len(c.targets))
	}
	return loss, nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	n := float64(len(c.targets))
	dlogits := Softmax(nil, c.logits, 2)
	for r, target := range c.targets {
		for i, p := range dlogits.Row(r) {
			d := float64(p)
			if i == target {
				d--
			}
			dlogits.Row(r)[i] = float32(d / n)
		}
	}
	return dlogits
}
