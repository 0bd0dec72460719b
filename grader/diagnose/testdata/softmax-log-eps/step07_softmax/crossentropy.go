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
	p := Softmax(nil, logits, 2)
	loss := 0.0
	for r, id := range all {
		loss -= math.Log(float64(p.Row(r)[id]) + 1e-9) // never the logarithm of 0
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
