package softmax

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// CrossEntropy has the gradient ready when the loss is there, before anybody
// asks for it.
type CrossEntropy struct{ gradient *tensor.Tensor }

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	b, t, v := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != b {
		return 0, tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)}, Want: []int{b}}
	}
	for i := range targets {
		if len(targets[i]) != t {
			return 0, tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", i), Got: []int{len(targets[i])}, Want: []int{t}}
		}
		for j, id := range targets[i] {
			if id < 0 || id >= v {
				return 0, tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", i, j), Got: id, Limit: v}
			}
		}
	}
	if b*t == 0 {
		return 0, tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: logits.Shape}
	}
	c.gradient = Softmax(nil, logits, -1)
	total := 0.0
	for n := b*t - 1; n >= 0; n-- {
		target, row := targets[n/t][n%t], c.gradient.Row(n)
		m, log := logSumExp(logits.Row(n))
		total += m - float64(logits.Row(n)[target]) + log
		row[target] = -(1 - row[target])
		for i := range row {
			row[i] /= float32(b * t)
		}
	}
	return total / float64(b*t), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	if c.gradient == nil {
		panic(tensor.ShapeError{Op: "CrossEntropy.Backward: no Forward came before", Want: []int{tensor.Any, tensor.Any, tensor.Any}})
	}
	return c.gradient.Clone()
}
