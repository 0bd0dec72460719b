//go:build unlisted

package softmax

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// online-softmax: maximum and sum are found in one pass, in float64, the sum rescaled when the maximum grows
//
// Why: the same fraction; rows of −Inf, with a NaN and with +Inf are seen to one by one.
func softmaxRow(y, x []float32) {
	m, sum := math.Inf(-1), 0.0
	for _, v32 := range x {
		v := float64(v32)
		if math.IsInf(v, -1) {
			continue
		}
		if v > m {
			sum *= math.Exp(m - v)
			m = v
		}
		sum += math.Exp(v - m)
	}
	if sum == 0 { // nothing but −Inf
		clear(y)
		return
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)-m) / sum)
	}
}

// loss-by-goroutines: every sequence has its own goroutine and its own sum, and Backward fills a new tensor in float64
//
// Why: each goroutine writes one place; the sums in float64 differ in the last bits only.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	batch, seq := logits.Dim(0), logits.Dim(1)
	kept, losses := make([]int, batch*seq), make([]float64, batch)
	var all sync.WaitGroup
	for b, row := range targets {
		copy(kept[b*seq:], row)
		all.Go(func() {
			for t := range seq {
				x := logits.Row(b*seq + t)
				target := x[kept[b*seq+t]]
				m := float64(x[0])
				for _, v := range x {
					m = max(m, float64(v))
				}
				sum := 0.0
				for _, v := range x {
					sum += math.Exp(float64(v) - m)
				}
				losses[b] += math.Log(sum) + (m - float64(target))
			}
		})
	}
	all.Wait()
	c.logits, c.targets = logits, kept
	total := 0.0
	for _, l := range losses {
		total += l
	}
	return total / float64(batch*seq), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	p := Softmax(nil, c.logits, -1)
	n := float64(len(c.targets))
	for r, target := range c.targets {
		row := p.Row(r)
		for i, v := range row {
			if i == target {
				row[i] = float32((float64(v) - 1) / n)
			} else {
				row[i] = float32(float64(v) / n)
			}
		}
	}
	return p
}
