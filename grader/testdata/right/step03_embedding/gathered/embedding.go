// Package embedding goes over the columns of the table one after another, from
// the last token to the first.
package embedding

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Embedding struct {
	Weight *tensor.Param

	ids  []int
	lead [2]int
	y    *tensor.Tensor
}

func New(weight *tensor.Param) *Embedding {
	tensor.CheckShape("embedding.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Embedding{Weight: weight}
}

func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	table := e.Weight.Value
	v, d := table.Shape[0], table.Shape[1]
	for b := range ids {
		if len(ids[b]) != len(ids[0]) {
			return nil, tensor.ShapeError{Op: fmt.Sprint("Embedding.Forward: ids[", b, "]"), Got: []int{len(ids[b])}, Want: []int{len(ids[0])}}
		}
	}
	for b := range ids {
		for t, id := range ids[b] {
			if uint(id) >= uint(v) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t), Got: id, Limit: v}
			}
		}
	}
	e.ids, e.lead = e.ids[:0], [2]int{len(ids), 0}
	for _, row := range ids {
		e.lead[1] = len(row)
		e.ids = append(e.ids, row...)
	}
	e.y = tensor.Reuse(e.y, e.lead[0], e.lead[1], d)
	for j := range d {
		for n, id := range e.ids {
			e.y.Data[n*d+j] = table.Data[id*d+j]
		}
	}
	return e.y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	d := e.Weight.Value.Shape[1]
	tensor.CheckShape("Embedding.Backward: dy", dy, e.lead[0], e.lead[1], d)
	for j := range d {
		for n := len(e.ids) - 1; n >= 0; n-- {
			e.Weight.Grad.Data[e.ids[n]*d+j] += dy.Data[n*d+j]
		}
	}
}
