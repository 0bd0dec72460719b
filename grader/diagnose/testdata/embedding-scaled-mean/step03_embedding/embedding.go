package embedding

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Embedding struct {
	Weight *tensor.Param
	where  map[int][]int // the rows of y, by token
	shape  []int
}

func New(weight *tensor.Param) *Embedding { return &Embedding{Weight: weight} }

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	w := e.Weight.Value
	for b, row := range ids {
		for t, id := range row {
			if id < 0 || id >= w.Dim(0) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: w.Dim(0)}
			}
		}
	}
	e.where = map[int][]int{}
	e.shape = []int{len(ids), len(ids[0]), w.Dim(1)}
	out := tensor.New(e.shape...)
	n, root := 0, float32(math.Sqrt(float64(w.Dim(1))))
	for _, row := range ids {
		for _, id := range row {
			for j, v := range w.Row(id) {
				out.Row(n)[j] = root * v // "Attention Is All You Need", section 3.4
			}
			e.where[id] = append(e.where[id], n)
			n++
		}
	}
	return out, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.shape...)
	for id, rows := range e.where {
		for j := range e.shape[2] {
			sum := 0.0
			for _, r := range rows {
				sum += float64(dy.Row(r)[j])
			}
			e.Weight.Grad.Row(id)[j] += float32(sum / float64(len(rows)))
		}
	}
}

func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }
