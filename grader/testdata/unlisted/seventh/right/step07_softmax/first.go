//go:build unlisted

package softmax

import "slices"

// online-in-float64: maximum and sum in a single pass (Milakov and Gimelshein), walking with the stride
//
// Why: the sum so far is multiplied by e^(old − new) whenever the maximum grows, which is the same number.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	_, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	for r := range len(x.Data) / max(1, n) {
		first := r/inner*n*inner + r%inner
		m, sum := math.Inf(-1), 0.0
		for j := range n {
			v := float64(x.Data[first+j*inner])
			switch {
			case math.IsNaN(v) || math.IsInf(v, 1):
				sum, m = math.NaN(), 0
			case v > m:
				sum, m = sum*math.Exp(m-v)+1, v
			case !math.IsInf(v, -1):
				sum += math.Exp(v - m)
			}
		}
		for j := range n {
			at := first + j*inner
			p := 0.0
			if sum != 0 {
				p = math.Exp(float64(x.Data[at])-m) / sum
			}
			dst.Data[at] = float32(p)
		}
	}
	return dst
}

// gradient-in-forward: Forward computes the gradient too and keeps it to itself, Backward hands out new copies
//
// Why: the logits do not change until Backward, so it does not matter when their softmax is taken.
type CrossEntropy struct {
	shape []int
	grad  []float32
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	flat := slices.Concat(targets...)
	c.shape, c.grad = slices.Clone(logits.Shape), make([]float32, 0, logits.Len())
	total := 0.0
	for r, target := range flat {
		x := logits.Row(r)
		m, sum := float64(kernel.Max(x)), 0.0
		if math.IsInf(m, -1) {
			m = 0
		}
		for _, v := range x {
			sum += math.Exp(float64(v) - m)
		}
		total += math.Log(sum) + (m - float64(x[target]))
		for i, v := range x {
			p := 0.0
			if sum != 0 {
				p = math.Exp(float64(v)-m) / sum
			}
			if i == target {
				p--
			}
			c.grad = append(c.grad, float32(p/float64(len(flat))))
		}
	}
	return total / float64(len(flat)), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	if c.shape == nil {
		panic(tensor.ShapeError{Op: "CrossEntropy.Backward before Forward"})
	}
	return tensor.From(slices.Clone(c.grad), c.shape...)
}

// lse-by-pairs: the elements are joined one after the other, log(e^a + e^b) = a + log1p(e^(b−a)) for a ≥ b
//
// Why: a known way to the same number; infinities are looked after one by one.
func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	_, n, inner := split(x.Shape, axis)
	y := tensor.New(slices.Concat(x.Shape[:axis], x.Shape[axis+1:])...)
	for r := range y.Data {
		first := r/inner*n*inner + r%inner
		sum := math.Inf(-1)
		for j := range n {
			sum = join(sum, float64(x.Data[first+j*inner]))
		}
		y.Data[r] = float32(sum)
	}
	return y
}

func join(a, b float64) float64 {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return math.NaN()
	case math.IsInf(a, 1) || math.IsInf(b, -1):
		return a
	case math.IsInf(b, 1) || math.IsInf(a, -1):
		return b
	}
	return max(a, b) + math.Log1p(math.Exp(min(a, b)-max(a, b)))
}
