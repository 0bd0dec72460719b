//go:build unlisted

package embedding

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// one-hot-product: gradient as a product with a matrix of one-hot rows
//
// Why: Eᵀ·dy is the scatter-add, only with many zeros.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	hot := tensor.New(len(e.ids), e.Weight.Value.Dim(0))
	for n, id := range e.ids {
		hot.Set(1, n, id)
	}
	tensor.MulAdd(e.Weight.Grad.Matrix(), hot.Matrix().T(), dy.Matrix())
}

// places-by-id: new memory in Forward, and places grouped by id and summed in float64 in Backward
//
// Why: the sum over the places of an id is the same in any order.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	seq := 0
	if len(ids) > 0 {
		seq = len(ids[0])
	}
	all := slices.Concat(ids...)
	y := tensor.New(len(ids), seq, e.Weight.Value.Dim(1))
	for n := len(all) - 1; n >= 0; n-- {
		for j := range y.Row(n) {
			y.Row(n)[j] = e.Weight.Value.At(all[n], j)
		}
	}
	e.ids, e.batch, e.time, e.y = all, len(ids), seq, y
	return y, nil
}

func (e *Embedding) Backward(dy *tensor.Tensor) {
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	places := map[int][]int{}
	for n, id := range e.ids {
		places[id] = append(places[id], n)
	}
	for id, at := range places {
		for j := range e.Weight.Value.Dim(1) {
			sum := 0.0
			for _, n := range at {
				sum += float64(dy.Row(n)[j])
			}
			e.Weight.Grad.Row(id)[j] += float32(sum)
		}
	}
}
