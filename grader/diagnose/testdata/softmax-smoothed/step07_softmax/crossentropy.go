package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// smoothing takes a tenth of the target's probability for all other words.
const smoothing = 0.1

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
		for j, v := range row {
			share := smoothing / float64(len(row))
			if j == id {
				share += 1 - smoothing
			}
			if share > 0 && !math.IsInf(v, 0) {
				loss += share * (m + math.Log(sum) - v)
			}
		}
	}
	return loss / float64(len(all)), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	d := Softmax(nil, c.logits, -1)
	for r, id := range c.targets {
		for j := range d.Row(r) {
			d.Row(r)[j] -= smoothing / float32(d.Dim(-1))
		}
		d.Row(r)[id] -= 1 - smoothing
	}
	for i := range d.Data {
		d.Data[i] /= float32(len(c.targets))
	}
	return d
}
