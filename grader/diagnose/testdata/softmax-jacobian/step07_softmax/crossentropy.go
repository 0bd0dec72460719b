package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type CrossEntropy struct {
	logits  *tensor.Tensor
	targets []int
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	var all []int
	for b := range targets {
		for t, id := range targets[b] {
			if id < 0 || id >= logits.Dim(-1) {
				return 0, tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: id, Limit: logits.Dim(-1)}
			}
			all = append(all, id)
		}
	}
	c.logits, c.targets = logits, all
	loss := 0.0
	for r, id := range all {
		row := make([]float64, logits.Dim(-1))
		for j, v := range logits.Row(r) {
			row[j] = float64(v)
		}
		m, sum := largest(row), 0.0
		for _, v := range row {
			sum += math.Exp(v - m)
		}
		loss += m + math.Log(sum) - row[id]
	}
	return loss / float64(len(all)), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	d := Softmax(nil, c.logits, -1)
	for r, id := range c.targets {
		d.Row(r)[id]--
	}
	for i := range d.Data {
		d.Data[i] /= float32(len(c.targets))
	}
	return d
}
