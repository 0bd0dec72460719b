package lora

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// AnswerLoss gathers the rows that count, and gives them to the loss of step 07.
type AnswerLoss struct {
	inner softmax.CrossEntropy
	at    []int // the rows
	shape []int // of logits
}

// Forward makes one text of all tokens that count.
func (l *AnswerLoss) Forward(logits *tensor.Tensor, targets [][]int, counted [][]bool) (float64, error) {
	tensor.CheckShape("Forward", logits, tensor.Any, tensor.Any, tensor.Any)
	b, t, v := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != b || len(counted) != b {
		return 0, tensor.ShapeError{Op: "rows", Got: []int{len(targets), len(counted)}, Want: []int{b, b}}
	}
	var at, own []int
	for i := range b {
		if len(targets[i]) != t || len(counted[i]) != t {
			return 0, tensor.ShapeError{Op: "columns", Got: []int{len(targets[i]), len(counted[i])}, Want: []int{t, t}}
		}
		for j := range t {
			if counted[i][j] {
				if id := targets[i][j]; id < 0 || id >= v {
					return 0, tensor.IndexError{Op: place(i, j), Got: id, Limit: v}
				}
				at, own = append(at, i*t+j), append(own, targets[i][j])
			}
		}
	}
	loss := 0.0
	if len(at) > 0 {
		rows := tensor.New(1, len(at), v)
		for i, r := range at {
			copy(rows.Row(i), logits.Row(r))
		}
		var err error
		if loss, err = l.inner.Forward(rows, [][]int{own}); err != nil {
			return 0, err
		}
	}
	l.at, l.shape = at, []int{b, t, v}
	return loss, nil
}

// Backward puts the rows of that loss's gradient where they came from.
func (l *AnswerLoss) Backward() *tensor.Tensor {
	if l.shape == nil {
		panic(tensor.ShapeError{Op: "Backward without Forward"})
	}
	d := tensor.New(l.shape...)
	if len(l.at) > 0 {
		rows := l.inner.Backward()
		for i, r := range l.at {
			copy(d.Row(r), rows.Row(i))
		}
	}
	return d
}
