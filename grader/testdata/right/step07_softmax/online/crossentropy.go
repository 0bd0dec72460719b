package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// CrossEntropy keeps, beside the logits, the log-sum-exp of every token.
type CrossEntropy struct {
	logits  *tensor.Tensor
	targets []int
	lse     []float64
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	b, t, v := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != b {
		return 0, tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)}, Want: []int{b}}
	}
	var flat []int
	for i, row := range targets {
		if len(row) != t {
			return 0, tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", i), Got: []int{len(row)}, Want: []int{t}}
		}
		for j, target := range row {
			if target < 0 || target >= v {
				return 0, tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", i, j), Got: target, Limit: v}
			}
		}
		flat = append(flat, row...)
	}
	if len(flat) == 0 {
		return 0, tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: logits.Shape}
	}
	lse, loss := make([]float64, len(flat)), 0.0
	for n, target := range flat {
		m, sum := scan(logits.Row(n), v, 1)
		lse[n] = m + math.Log(sum)
		loss += ((m - float64(logits.Row(n)[target])) + math.Log(sum)) / float64(len(flat))
	}
	c.logits, c.targets, c.lse = logits, flat, lse
	return loss, nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	d := tensor.New(c.logits.Shape...)
	count := float64(len(c.targets))
	for n, target := range c.targets {
		m, sum := scan(c.logits.Row(n), len(c.logits.Row(n)), 1)
		for i, x := range c.logits.Row(n) {
			p := math.Exp(float64(x)-m) / sum
			if i == target {
				p--
			}
			d.Row(n)[i] = float32(p / count)
		}
	}
	return d
}
