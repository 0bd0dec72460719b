package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// lanes calls f for every row along axis, with a function that finds its elements.
func lanes(x *tensor.Tensor, axis int, f func(n int, at func(j int) int)) {
	if axis < -len(x.Shape) || axis >= len(x.Shape) {
		panic(tensor.IndexError{Op: "axis", Got: axis, Limit: len(x.Shape)})
	}
	if axis < 0 {
		axis += len(x.Shape)
	}
	n, stride := x.Shape[axis], 1
	for _, d := range x.Shape[axis+1:] {
		stride *= d
	}
	for start := range x.Data {
		if start/stride%n == 0 {
			f(n, func(j int) int { return start + j*stride })
		}
	}
}

func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	biggest := math.Inf(-1)
	for _, v := range x.Data {
		biggest = math.Max(biggest, float64(v))
	}
	if math.IsNaN(biggest) {
		biggest = 0
	}
	y := tensor.Reuse(dst, x.Shape...)
	lanes(x, axis, func(n int, at func(j int) int) {
		sum := 0.0
		for j := range n {
			sum += math.Exp(float64(x.Data[at(j)]) - biggest)
		}
		for j := range n {
			y.Data[at(j)] = float32(math.Exp(float64(x.Data[at(j)])-biggest) / sum)
		}
	})
	return y
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	dst = tensor.Reuse(dst, y.Shape...)
	lanes(y, axis, func(n int, at func(j int) int) {
		sum := 0.0
		for j := range n {
			sum += float64(y.Data[at(j)]) * float64(dy.Data[at(j)])
		}
		for j := range n {
			dst.Data[at(j)] = float32(float64(y.Data[at(j)]) * (float64(dy.Data[at(j)]) - sum))
		}
	})
	return dst
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	var out []float32
	lanes(x, axis, func(n int, at func(j int) int) {
		top, sum := math.Inf(-1), 0.0
		for j := range n {
			top = math.Max(top, float64(x.Data[at(j)]))
		}
		if math.IsInf(top, 0) {
			out = append(out, float32(top))
			return
		}
		for j := range n {
			sum += math.Exp(float64(x.Data[at(j)]) - top)
		}
		out = append(out, float32(top+math.Log(sum)))
	})
	a := (axis + len(x.Shape)) % len(x.Shape)
	return tensor.From(out, append(append([]int{}, x.Shape[:a]...), x.Shape[a+1:]...)...)
}

type CrossEntropy struct {
	p       *tensor.Tensor
	targets [][]int
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	total := 0.0
	c.p, c.targets = tensor.New(logits.Shape...), targets
	for b, row := range targets {
		for t, id := range row {
			x := logits.Row(b*len(row) + t)
			if id < 0 || id >= len(x) {
				return 0, tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: id, Limit: len(x)}
			}
			top, sum := math.Inf(-1), 0.0
			for _, v := range x {
				top = math.Max(top, float64(v))
			}
			for _, v := range x {
				sum += math.Exp(float64(v) - top)
			}
			for j, v := range x {
				c.p.Row(b*len(row) + t)[j] = float32(math.Exp(float64(v)-top) / sum)
			}
			total += math.Log(sum) + top - float64(x[id])
		}
	}
	return total, nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	d := c.p.Clone()
	for b, row := range c.targets {
		for t, id := range row {
			d.Row(b*len(row) + t)[id] -= 1
		}
	}
	return d
}
